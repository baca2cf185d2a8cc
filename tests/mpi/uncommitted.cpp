// One rank gives a type that is not committed, and its elements have gaps, so they are copied: MPI
// refuses. That rank gets the error; it stays in step with the others, and later calls are right.
#include <string>
#include <vector>

#include "mpi/persistent.hpp"

namespace espalier::mpi_test {
namespace {

int handled = 0;
void count_errors(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++handled; }

class Uncommitted {
 public:
  explicit Uncommitted(MPI_Comm comm) : all_(comm) {
    MPI_Type_vector(3, 1, 2, MPI_INT, &type_);
    MPI_Type_vector(3, 1, 2, MPI_INT, &right_type_);
    MPI_Type_commit(&right_type_);
  }
  ~Uncommitted() {
    MPI_Type_free(&type_);
    MPI_Type_free(&right_type_);
  }

  void run() {
    later_calls_are_right("the start");
    int code = MPI_Allgather(data_.data(), 1, type(), blocks_.data(), 3, MPI_INT, all_.comm);
    expect_error(code, "an allgather");
    code = MPI_Gather(data_.data(), 1, type(), blocks_.data(), 3, MPI_INT, 1, all_.comm);
    expect_error(code, "a gather");
    code = MPI_Scatter(blocks_.data(), 3, MPI_INT, data_.data(), 1, type(), 1, all_.comm);
    expect_error(code, "a scatter");
    code = MPI_Bcast(data_.data(), 1000, type(), 0, all_.comm);
    expect_error(code, "a broadcast");
  }
  [[nodiscard]] int failures() const { return failures_.exit_code(); }

 private:
  [[nodiscard]] MPI_Datatype type() const { return all_.rank == 0 ? type_ : right_type_; }

  void expect_error(int code, const std::string& what) {
    failures_.expect(last_was_planned(), what + " was native: " + last_text());
    if (all_.rank == 0) {
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
  MPI_Datatype type_ = MPI_DATATYPE_NULL, right_type_ = MPI_DATATYPE_NULL;
  std::vector<int> data_ = std::vector<int>(6000), blocks_ = std::vector<int>(64);
  Failures failures_;
};

int run() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(copy, handler);
  MPI_Errhandler_free(&handler);
  int code = 0;
  {
    Uncommitted test(copy);
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
