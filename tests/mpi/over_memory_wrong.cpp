// Calls over the memory of several nodes that are wrong: rank 1, which does not lead its node, has
// another length than all others. Nobody gets a result that was made of its data, nobody waits for
// ever, and other communicators work.
//
//   over_memory_wrong    the machine has the nodes {0, 1} and {2}
#include <string>
#include <utility>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

using Numbers = std::vector<std::int64_t>;

class Wrong {
 public:
  Wrong() { MPI_Comm_rank(MPI_COMM_WORLD, &rank_); }

  /// All ranks hear of it: the one whose length differs, its node, and the other nodes.
  void allreduce(int count_of_1, int count) {
    const MPI_Comm comm = made();
    const int own = rank_ == 1 ? count_of_1 : count;
    const Numbers in(static_cast<std::size_t>(own), 1);
    Numbers out(in.size());
    const int code = MPI_Allreduce(in.data(), out.data(), own, MPI_INT64_T, MPI_SUM, comm);
    expect_error(code, "an allreduce of " + std::to_string(count));
    end(comm);
  }
  /// The result is one rank's alone, which need not be on the node of the wrong one.
  void reduce(int count_of_1, int count, int root) {
    const MPI_Comm comm = made();
    const int own = rank_ == 1 ? count_of_1 : count;
    const Numbers in(static_cast<std::size_t>(own), 1);
    Numbers out(in.size());
    const int code = MPI_Reduce(in.data(), out.data(), own, MPI_INT64_T, MPI_SUM, root, comm);
    if (rank_ == root) expect_error(code, "a reduce of " + std::to_string(count));
    end(comm);
  }
  [[nodiscard]] const Failures& failures() const { return failures_; }

 private:
  /// A communicator whose calls go over memory.
  MPI_Comm made() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Barrier(comm);
    failures_.expect(last_text().find("over shared memory") != std::string::npos, "a barrier");
    return comm;
  }
  void expect_error(int code, const std::string& what) {
    int error_class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
    failures_.expect(error_class == MPI_ERR_TRUNCATE, what + ": no error");
  }
  void end(MPI_Comm comm) {
    int one = 1, all = 0;
    PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    std::int64_t sum = 0;
    const std::int64_t own = rank_;
    MPI_Allreduce(&own, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    failures_.expect(sum == all * (all - 1) / 2, "an allreduce of others");
  }

  int rank_ = 0;
  Failures failures_;
};

int run() {
  Wrong wrong;
  // As many steps in memory on both sides: else the wrong rank waits, as it may.
  for (const auto& [count_of_1, count] : {std::pair{11, 7}, {90'000, 90'100}}) {
    wrong.allreduce(count_of_1, count);
    for (const int root : {0, 1, 2}) wrong.reduce(count_of_1, count, root);
  }
  return wrong.failures().exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
