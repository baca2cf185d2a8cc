// A gather or scatter that is wrong in a way that only its root can see: the root gets the native
// call's error class, through its handler; the others send to a gather and go on. Blocks of another
// length at the root are taken as MPI libraries take them. Every rank is the root in turn, and all
// stay in step.
//
//   wrong_at_root [fatal|together]    fatal: errors end the job, the first one does
//                                     together: the others make scatters that only the root
//                                     refuses, too
#include <functional>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

int handled = 0;
void count_error(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++handled; }

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class WrongAtRoot {
 public:
  explicit WrongAtRoot(const std::string& how)
      : is_fatal_(how == "fatal"), is_together_(how == "together") {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    MPI_Comm_create_errhandler(count_error, &handler_);
    if (!is_fatal_) MPI_Comm_set_errhandler(comm_, handler_);
  }
  ~WrongAtRoot() {
    MPI_Errhandler_free(&handler_);
    MPI_Comm_free(&comm_);
  }

  int run() {
    for (int root = 0; root < size_; ++root) {
      root_ = root;
      gather_gets_the_native_error("a negative count", -1, MPI_INT);
      gather_gets_the_native_error("no type", 4, MPI_DATATYPE_NULL);
#ifdef MPICH_VERSION  // Open MPI 4.1.4 does not look at what a scatter's root sends, and crashes
      scatter_gets_an_error("a negative count", -1, MPI_INT);
      scatter_gets_an_error("no type", 4, MPI_DATATYPE_NULL);
#endif
      scatter_gets_an_error("too much", 7, MPI_INT, MPI_ERR_TRUNCATE);
      if (is_together_) scatter_ends_for_all();
      gathered_into(7);
      gathered_into(4);
      gathered_into(1);
      scattered_from(4);
      scattered_from(1);
    }
    return failures_.everywhere();
  }

 private:
  [[nodiscard]] bool is_root() const { return rank_ == root_; }
  [[nodiscard]] std::size_t at(int block, int length, int i) const {
    return static_cast<std::size_t>(block * length + i);
  }
  [[nodiscard]] std::vector<int> all() const {
    return std::vector<int>(static_cast<std::size_t>(8 * size_), -7);
  }

  void expect_class(int code, int at_root, int elsewhere, const std::string& what) {
    const int wanted = is_root() ? at_root : elsewhere;
    failures_.expect(class_of(code) == wanted, what + ": class " + std::to_string(class_of(code)) +
                                                   ", not " + std::to_string(wanted));
    failures_.expect(handled == (wanted == MPI_SUCCESS ? 0 : 1),
                     what + ": handler called " + std::to_string(handled) + " times");
    handled = 0;
  }

  void works(const std::string& after) {
    int sum = 0;
    MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm_);
    failures_.expect(sum == size_ * (size_ - 1) / 2, "wrong after " + after);
    failures_.expect(last_was_planned(), "native after " + after);
    failures_.expect(handled == 0, "an error after " + after);
    handled = 0;
  }

  /// The native call finds it before it sends anything, so the root can ask alone.
  [[nodiscard]] int native_class(const std::function<int()>& call) {
    const int code = is_root() ? class_of(call()) : MPI_SUCCESS;
    handled = 0;
    return code;
  }

  void gather_gets_the_native_error(const char* name, int count, MPI_Datatype type) {
    const std::string what = std::string("gather of ") + name;
    const std::vector<int> in(4, rank_);
    std::vector<int> out = all();
    const auto with = [&](auto* gather) {
      return gather(in.data(), 4, MPI_INT, out.data(), is_root() ? count : 4,
                    is_root() ? type : MPI_INT, root_, comm_);
    };
    const int native = is_fatal_ ? MPI_SUCCESS : native_class([&] { return with(PMPI_Gather); });
    expect_class(with(MPI_Gather), native, MPI_SUCCESS, what);
    failures_.expect(!is_root() || native != MPI_SUCCESS, what + " is right natively");
    works(what);
  }

  /// The others would wait, as natively, for data that never comes: they leave it out.
  void scatter_gets_an_error(const char* name, int count, MPI_Datatype type,
                             int expected = MPI_SUCCESS) {
    const std::string what = std::string("scatter of ") + name;
    MPI_Comm apart = MPI_COMM_NULL;
    MPI_Comm_dup(comm_, &apart);
    MPI_Barrier(apart);  // from here on planned without talking
    std::vector<int> in = all(), out(4, -7);
    const auto with = [&](auto* scatter) {
      return scatter(in.data(), count, type, out.data(), 4, MPI_INT, root_, apart);
    };
    if (expected == MPI_SUCCESS) expected = native_class([&] { return with(PMPI_Scatter); });
    if (is_root()) expect_class(with(MPI_Scatter), expected, expected, what);
    failures_.expect(!is_root() || expected != MPI_SUCCESS, what + " is right natively");
    MPI_Comm_free(&apart);
    works(what);
  }

  /// Through memory the others need not wait: they see that the root has given the call up.
  void scatter_ends_for_all() {
    const std::string what = "scatter of 7 by all";
    std::vector<int> in = all(), out(4, -7);
    const int code =
        MPI_Scatter(in.data(), is_root() ? 7 : 4, MPI_INT, out.data(), 4, MPI_INT, root_, comm_);
    expect_class(code, MPI_ERR_TRUNCATE, MPI_ERR_TRUNCATE, what);
    works(what);
  }

  /// Everyone sends 4, the root has room for `room` from each.
  void gathered_into(int room) {
    const std::string what = "gather of 4 into " + std::to_string(room);
    const std::vector<int> in(4, rank_);
    std::vector<int> out = all();
    const int code =
        MPI_Gather(in.data(), 4, MPI_INT, out.data(), is_root() ? room : 4, MPI_INT, root_, comm_);
    failures_.expect(last_was_planned(), what + " was native");
    expect_class(code, room < 4 ? MPI_ERR_TRUNCATE : MPI_SUCCESS, MPI_SUCCESS, what);
    for (int r = 0; r < size_ && is_root() && room >= 4; ++r) {
      for (int i = 0; i < room; ++i) {
        failures_.expect(out[at(r, room, i)] == (i < 4 ? r : -7), what + ": wrong data");
      }
    }
    failures_.expect(out[at(size_, is_root() ? room : 0, 0)] == -7, what + ": beyond the end");
    works(what);
  }

  /// Everyone receives 4, the root sends `length` to each, not more.
  void scattered_from(int length) {
    const std::string what = "scatter of " + std::to_string(length) + " into 4";
    std::vector<int> in = all(), out(5, -7);
    for (int r = 0; r < size_ * length; ++r) in[static_cast<std::size_t>(r)] = r / length;
    const int code = MPI_Scatter(in.data(), is_root() ? length : 4, MPI_INT, out.data(), 4, MPI_INT,
                                 root_, comm_);
    expect_class(code, MPI_SUCCESS, MPI_SUCCESS, what);
    for (int i = 0; i < length; ++i) {
      failures_.expect(out[static_cast<std::size_t>(i)] == rank_, what + ": wrong data");
    }
    failures_.expect(out[4] == -7, what + ": written beyond the end");
    works(what);
  }

  const bool is_fatal_, is_together_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
  int rank_ = 0, size_ = 1, root_ = 0;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, [](int words, char** word) {
    return espalier::mpi_test::WrongAtRoot(words > 1 ? word[1] : "").run() == 0 ? 0 : 1;
  });
}
