// One rank gives a type that is not committed, and its elements have gaps or another order than
// bytes: MPI refuses it. That rank gets the error; it stays in step with the others, which get one
// if they would wait for it, and later calls are right. All ranks that give such a type get it too.
//
//   uncommitted [memory]    memory: calls of all kinds, through memory that ranks share
#include <string>
#include <vector>

#include "mpi/persistent.hpp"

namespace espalier::mpi_test {
namespace {

int handled = 0;
void count_errors(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++handled; }

class Uncommitted {
 public:
  Uncommitted(MPI_Comm comm, const std::string& where)
      : all_(comm), is_in_memory_(where == "memory") {
    MPI_Type_vector(3, 1, 2, MPI_INT, &type_);
    MPI_Type_vector(3, 1, 2, MPI_INT, &right_type_);
    MPI_Type_commit(&right_type_);
    // Without gaps, so that memory that ranks share serves reductions of it.
    MPI_Type_vector(3, 1, 1, MPI_INT, &triple_);
    MPI_Type_vector(3, 1, 1, MPI_INT, &right_triple_);
    MPI_Type_commit(&right_triple_);
    MPI_Op_create(add_triples, 1, &sum_);
  }
  ~Uncommitted() {
    for (MPI_Datatype* type : {&type_, &right_type_, &triple_, &right_triple_}) MPI_Type_free(type);
    MPI_Op_free(&sum_);
  }

  void run() {
    later_calls_are_right("the start");
    int code = MPI_Allgather(data_.data(), 1, type(), blocks_.data(), 3, MPI_INT, all_.comm);
    expect_error(code, "an allgather");
    code = MPI_Gather(data_.data(), 1, type(), blocks_.data(), 3, MPI_INT, 1, all_.comm);
    expect_error(code, "a gather");
    code = MPI_Scatter(blocks_.data(), 3, MPI_INT, data_.data(), 1, type(), 1, all_.comm);
    expect_error(code, "a scatter");
    if (!is_in_memory_) {
      code = MPI_Bcast(data_.data(), 1000, type(), 0, all_.comm);
      return expect_error(code, "a broadcast");
    }
    code = MPI_Alltoall(data_.data(), 1, type(), blocks_.data(), 3, MPI_INT, all_.comm);
    expect_error(code, "an alltoall");
    for (const int root : {0, 1}) {
      code = MPI_Bcast(data_.data(), 1000, type(), root, all_.comm);
      expect_error(code, "a broadcast from " + std::to_string(root));
    }
    for (const int count : {1, 1000}) reduce(count);
    is_on_all_ = true;
    code = MPI_Allgather(data_.data(), 1, type(), blocks_.data(), 3, MPI_INT, all_.comm);
    expect_error(code, "an allgather by all");
    reduce(1000);
  }
  [[nodiscard]] int failures() const { return failures_.exit_code(); }

 private:
  [[nodiscard]] bool is_wrong_here() const { return is_on_all_ || all_.rank == 0; }
  [[nodiscard]] MPI_Datatype type() const { return is_wrong_here() ? type_ : right_type_; }
  [[nodiscard]] MPI_Datatype triple() const { return is_wrong_here() ? triple_ : right_triple_; }

  static void add_triples(void* from, void* to, int* count, MPI_Datatype* /*type*/) {
    for (int i = 0; i < 3 * *count; ++i) static_cast<int*>(to)[i] += static_cast<int*>(from)[i];
  }

  void reduce(int count) {
    const std::string of = " of " + std::to_string(count);
    const int* const in = data_.data();
    int* const out = more_.data();
    int code = MPI_Allreduce(in, out, count, triple(), sum_, all_.comm);
    expect_error(code, "an allreduce" + of);
    for (const int root : {0, 1}) {
      code = MPI_Reduce(in, out, count, triple(), sum_, root, all_.comm);
      expect_error(code, "a reduce" + of + " to " + std::to_string(root));
    }
    code = MPI_Scan(in, out, count, triple(), sum_, all_.comm);
    expect_error(code, "a scan" + of);
    code = MPI_Reduce_scatter_block(in, out, count, triple(), sum_, all_.comm);
    expect_error(code, "a reduce-scatter" + of);
  }

  void expect_error(int code, const std::string& what) {
    failures_.expect(last_was_planned(), what + " was native: " + last_text());
    if (is_wrong_here()) {
      failures_.expect(code != MPI_SUCCESS, what + ": no error");
      failures_.expect(handled == 1, what + ": the handler, " + std::to_string(handled) + " times");
    }
    handled = 0;
    later_calls_are_right(what);
  }
  void later_calls_are_right(const std::string& after) {
    for (int i = 0; i < 3; ++i) {
      int sum = -1;
      MPI_Allreduce(&all_.rank, &sum, 1, MPI_INT, MPI_SUM, all_.comm);
      std::vector<int> ranks(static_cast<std::size_t>(all_.size), -1);
      MPI_Allgather(&all_.rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, all_.comm);
      bool is_right = sum == all_.sum();
      for (int r = 0; r < all_.size; ++r) is_right &= ranks[static_cast<std::size_t>(r)] == r;
      failures_.expect(is_right, "a call after " + after);
    }
    failures_.expect(handled == 0, "an error after " + after);
    handled = 0;
  }

  Members all_;
  const bool is_in_memory_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL, right_type_ = MPI_DATATYPE_NULL;
  MPI_Datatype triple_ = MPI_DATATYPE_NULL, right_triple_ = MPI_DATATYPE_NULL;
  MPI_Op sum_ = MPI_OP_NULL;
  bool is_on_all_ = false;
  std::vector<int> data_ = std::vector<int>(20000), more_ = std::vector<int>(20000);
  std::vector<int> blocks_ = std::vector<int>(64);
  Failures failures_;
};

int run(int argc, char** argv) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(copy, handler);
  MPI_Errhandler_free(&handler);
  int code = 0;
  {
    Uncommitted test(copy, argc > 1 ? argv[1] : "");
    test.run();
    code = test.failures();
  }
  MPI_Comm_free(&copy);
  return code;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
