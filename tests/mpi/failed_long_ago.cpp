// A call that fails on a communicator whose errors are returned, and correct calls on it for more
// than a round of call numbers, until tags come again. What the failed call has left behind is no
// data of a later call, and no sign that ranks make different calls.
//
//   failed_long_ago    two ranks
#include <unistd.h>

#include <string>
#include <vector>

#include "mpi/harness.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi_test {
namespace {

/// How many calls the tags of this MPI tell apart.
int calls_apart() {
  const int* upper_bound = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &is_there);
  return static_cast<int>(runtime::Tags(is_there != 0 ? *upper_bound : 32767).calls_apart());
}

class LongAgo {
 public:
  LongAgo() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
  }

  /// Rank 1 wants less than rank 0 sends: it gets an error, and the message stays.
  void fail() {
    MPI_Barrier(comm_);
    failures_.expect(last_was_planned(), "a barrier is native: " + last_text());
    std::vector<int> data(16, -1);
    const int code = MPI_Bcast(data.data(), rank_ == 0 ? 4 : 3, MPI_INT, 0, comm_);
    failures_.expect((code == MPI_SUCCESS) == (rank_ == 0), "a broadcast of two lengths");
  }

  void go_on() {
    const int round = calls_apart();
    for (int call = 0; call < round + 100; ++call) {
      // Longer than a rank waits before it looks at what others do. From here on a message of the
      // failed call looks like one of a later call.
      if (call == round / 2 + 10 && rank_ == 0) sleep(3);
      std::vector<int> data(4, rank_ == 0 ? call : -1);
      const int code = MPI_Bcast(data.data(), 4, MPI_INT, 0, comm_);
      const std::string what = "broadcast " + std::to_string(call);
      failures_.expect(code == MPI_SUCCESS, what + ": an error");
      failures_.expect(data == std::vector<int>(4, call), what + ": other data");
    }
    failures_.expect(last_text() == "an earlier call failed here", "last: " + last_text());
  }

  int end() {
    MPI_Comm_free(&comm_);
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    failures_.expect(sum == 2 && last_was_planned(), "an allreduce on another communicator");
    return failures_.exit_code();
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  Failures failures_;
};

int run() {
  LongAgo long_ago;
  long_ago.fail();
  long_ago.go_on();
  return long_ago.end();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
