// After a call that failed on this rank messages may be left on the hidden communicator, and MPICH
// 4.2 ends the program when such a one is freed. So it is abandoned, at the end of the user's
// communicator and of the program alike, and counts against the cap: then calls are native, and all
// is well still.
#include <algorithm>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

constexpr int kCap = 128;  // mpi::HiddenShare::kMost

class Abandoned {
 public:
  Abandoned() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int run() {
    // That of the world, which goes at the end, is one of them.
    wrong_gather(MPI_COMM_WORLD, true);
    for (int made = 2; made <= kCap + 5; ++made) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      wrong_gather(comm, made <= kCap);
      MPI_Comm_free(&comm);
      // What is freed is no longer held: elsewhere, where the call did not fail, all but the
      // world's.
      const auto held = static_cast<std::uint64_t>(is_root() ? std::min(made, kCap) : 1);
      failures_.expect(
          espalier_query_count("hidden") == held,
          std::to_string(espalier_query_count("hidden")) + " held, not " + std::to_string(held));
    }
    return failures_.everywhere();
  }

 private:
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

  /// The root alone sees that it is wrong; what the others send it stays where it is.
  void wrong_gather(MPI_Comm comm, bool is_planned) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int sum = 0;
    MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures_.expect(last_was_planned() == is_planned, is_planned ? "native" : "planned");
    std::vector<int> all(static_cast<std::size_t>(size_));
    // Beyond the cap this would be natively wrong on the user's communicator.
    const int code = is_planned ? MPI_Gather(&rank_, 1, MPI_INT, all.data(), is_root() ? -1 : 1,
                                             MPI_INT, 0, comm)
                                : (is_root() ? MPI_ERR_COUNT : MPI_SUCCESS);
    failures_.expect((code != MPI_SUCCESS) == is_root(), "code " + std::to_string(code));
    MPI_Allreduce(&rank_, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures_.expect(sum == size_ * (size_ - 1) / 2, "wrong after a wrong gather");
  }

  int rank_ = 0, size_ = 1;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(
      argc, argv, [] { return espalier::mpi_test::Abandoned().run() == 0 ? 0 : 1; });
}
