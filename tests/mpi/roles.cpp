// Scatterv and gatherv along trees that only the root knows, where that is hard: ranks far ahead of
// each other, roots and trees that change from call to call, other calls in between, and numbers of
// calls that wrap round in the tags. Every rank knows from the seed what must arrive.
//
//   roles [--seed S] [--calls N]
#include <unistd.h>

#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"
#include "runtime/tags.hpp"

namespace espalier::mpi_test {
namespace {

class Roles {
 public:
  Roles() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~Roles() { MPI_Comm_free(&comm_); }

  int run(std::uint64_t seed, std::uint64_t calls) {
    run_ahead(seed, calls);
    if (size_ >= 3) wrap_round();
    return failures_.everywhere();
  }

 private:
  [[nodiscard]] std::size_t n() const { return static_cast<std::size_t>(size_); }
  static unsigned char value(std::uint64_t call, int rank, std::size_t at) {
    return static_cast<unsigned char>(call * 31 + static_cast<std::uint64_t>(rank) * 7 + at);
  }
  void lay_out(const std::vector<int>& counts) {
    counts_ = counts;
    displs_.resize(n());
    std::exclusive_scan(counts.begin(), counts.end(), displs_.begin(), 0);
    all_.assign(static_cast<std::size_t>(displs_.back() + counts.back()) + 1, 0);
    own_.assign(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank_)]) + 1, 0);
  }
  void fill(std::uint64_t call) {
    for (int r = 0; r < size_; ++r) {
      for (int i = 0; i < counts_[static_cast<std::size_t>(r)]; ++i) {
        const auto at = static_cast<std::size_t>(i);
        all_[static_cast<std::size_t>(displs_[static_cast<std::size_t>(r)]) + at] =
            value(call, r, at);
      }
    }
  }
  void scatter(std::uint64_t call, int root, bool blocking = true) {
    if (rank_ == root) fill(call);
    const int mine = counts_[static_cast<std::size_t>(rank_)];
    if (blocking) {
      MPI_Scatterv(all_.data(), counts_.data(), displs_.data(), MPI_BYTE, own_.data(), mine,
                   MPI_BYTE, root, comm_);
      failures_.expect(last_was_planned(), "a scatterv was native: " + last_text());
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iscatterv(all_.data(), counts_.data(), displs_.data(), MPI_BYTE, own_.data(), mine,
                    MPI_BYTE, root, comm_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    bool right = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(mine); ++i) {
      right = right && own_[i] == value(call, rank_, i);
    }
    failures_.expect(right, "call " + std::to_string(call) + ": wrong data along " + last_text());
  }
  void gather(std::uint64_t call, int root) {
    const int mine = counts_[static_cast<std::size_t>(rank_)];
    for (std::size_t i = 0; i < static_cast<std::size_t>(mine); ++i) {
      own_[i] = value(call, rank_, i);
    }
    MPI_Gatherv(own_.data(), mine, MPI_BYTE, all_.data(), counts_.data(), displs_.data(), MPI_BYTE,
                root, comm_);
    failures_.expect(last_was_planned(), "a gatherv was native: " + last_text());
    if (rank_ != root) return;
    const std::vector<unsigned char> found = all_;
    fill(call);
    failures_.expect(found == all_, "call " + std::to_string(call) + ": wrong gather");
  }

  /// Nobody waits but for data, and some are late.
  void run_ahead(std::uint64_t seed, std::uint64_t calls) {
    for (std::uint64_t call = 0; call < calls; ++call) {
      Random shared(seed * 1000003 + call);
      std::vector<int> counts(n());
      const std::uint64_t most = shared.chance(10) ? 30'000 : shared.chance(50) ? 2 : 300;
      for (int& count : counts) {
        count = shared.chance(40) ? 0 : static_cast<int>(shared.below(most + 1));
      }
      const int root =
          shared.chance(60) ? 0 : static_cast<int>(shared.below(static_cast<std::uint64_t>(size_)));
      const auto late = static_cast<int>(shared.below(static_cast<std::uint64_t>(20 * size_)));
      if (late == rank_) usleep(2000);
      lay_out(counts);
      const std::uint64_t kind = shared.below(100);
      if (kind < 70) {
        scatter(call, root);
      } else if (kind < 90) {
        gather(call, root);
      } else if (kind < 95) {
        scatter(call, root, false);
      } else {
        int sum = 1;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm_);
        failures_.expect(sum == size_, "a wrong sum");
      }
    }
  }

  /// Rank 2 waits for rank 1, which is late and passes its block on (counts:clustered-1 on a
  /// machine whose first site is rank 0). Meanwhile the root goes on to a call whose tags are the
  /// same again, and sends straight to rank 2. It must not get that far before rank 1 comes.
  void wrap_round() {
    void* bound = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &found);
    const runtime::Tags tags(*static_cast<int*>(bound));
    std::uint64_t period = 1;
    while (tags.role_tag(period, 0) != tags.role_tag(0, 0)) ++period;
    const std::vector<int> nothing(n(), 0);
    for (const int length : {1, 100'000}) {
      MPI_Barrier(comm_);
      std::vector<int> counts = nothing;
      counts[1] = 2 * length;
      counts[2] = length;
      if (rank_ == 1) usleep(1'500'000);
      lay_out(counts);
      scatter(1, 0);
      lay_out(nothing);
      for (std::uint64_t call = 1; call < period; ++call) scatter(2, 0);
      counts[1] = 0;
      lay_out(counts);
      scatter(3, 0);
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<int> counts_, displs_;
  std::vector<unsigned char> all_, own_;
  Failures failures_;
};

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using espalier::mpi_test::option;
  MPI_Init(&argc, &argv);
  int code = 0;
  {
    espalier::mpi_test::Roles test;
    const int failed =
        test.run(option(argc, argv, "--seed", 1), option(argc, argv, "--calls", 2000));
    code = failed == 0 ? 0 : 1;
  }
  MPI_Finalize();
  return code;
}
