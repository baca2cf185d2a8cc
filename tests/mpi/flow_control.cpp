// What ranks leave with late receivers, as their channels count it, stays within the formula of
// mpi/channel.hpp: all operations mixed, some ranks late, calls that block and calls that do not.
//
//   flow_control [--calls N] [--after BYTES] [--nonblocking 1]
//
// --after: bytes after which a message is synchronous (S of that formula) on the machine at hand.
#include <unistd.h>

#include <array>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "mpi/channel.hpp"
#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

using Numbers = std::vector<int>;

class FlowControl {
 public:
  explicit FlowControl(std::uint64_t after) : after_(after) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int run(std::uint64_t calls, bool starts) {
    for (std::uint64_t c = 0; c < calls; ++c) some_call(kKinds - 1);
    expect_within(1, "calls that block");
    many_broadcasts();
    expect_within(1, "long broadcasts");
    expect_something();
    for (std::uint64_t c = 0; c < calls; ++c) some_call(kKinds);
    expect_within(2, "gathervs whose trees are told");
    for (std::uint64_t round = 0; starts && round < 30; ++round) start_several();
    if (starts) expect_within(kStarts, "calls that do not block");
    return failures_.exit_code();
  }

 private:
  static constexpr std::uint64_t kMostNumbers = 16384;  // of one rank in one call
  static constexpr std::uint64_t kKinds = 13;           // the last one is a gatherv
  static constexpr std::uint64_t kStarts = 6;

  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(size_); }
  /// What a rank, or a pair of ranks, gives in this call.
  [[nodiscard]] int value(std::size_t of, std::size_t i) const {
    return static_cast<int>(call_ * 31 % 1000 + of * 1009 + i);
  }
  // Numbers have an address though there are none: MPI libraries may want one.
  [[nodiscard]] Numbers block(std::size_t of, std::size_t n) const {
    Numbers numbers;
    numbers.reserve(n + 1);
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(value(of, i));
    return numbers;
  }
  /// The blocks of these givers, one behind the other.
  [[nodiscard]] Numbers joined(const std::vector<std::size_t>& of, const Numbers& lengths) const {
    Numbers all;
    all.reserve(1);
    for (std::size_t b = 0; b < of.size(); ++b) {
      const Numbers one = block(of[b], static_cast<std::size_t>(lengths[b]));
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  [[nodiscard]] std::vector<std::size_t> everybody() const {
    std::vector<std::size_t> all(ranks());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  /// Sums over the first so many ranks.
  [[nodiscard]] Numbers sums(std::size_t of, std::size_t n) const {
    Numbers result(n);
    for (std::size_t r = 0; r < of; ++r) {
      for (std::size_t i = 0; i < n; ++i) result[i] += value(r, i);
    }
    return result;
  }
  /// Some ranks have nothing.
  [[nodiscard]] int length_of(std::size_t rank, std::size_t n) const {
    return rank % 3 == 1 ? 0 : static_cast<int>(n * (rank + 1) / ranks());
  }
  [[nodiscard]] Numbers lengths(std::size_t n) const {
    Numbers all;
    for (std::size_t r = 0; r < ranks(); ++r) all.push_back(length_of(r, n));
    return all;
  }
  static Numbers places(const Numbers& lengths) {
    Numbers at(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), at.begin(), 0);
    return at;
  }
  static int count(const Numbers& numbers) { return static_cast<int>(numbers.size()); }
  void expect_right(bool is_right) {
    failures_.expect(is_right, "call " + std::to_string(call_) + ": wrong data, " + last_text());
  }
  void sleep_at_times() {
    const auto late = static_cast<int>(shared_.below(10 * ranks()));
    if (late == rank_) usleep(3000);
  }

  void some_call(std::uint64_t kinds) {
    ++call_;
    sleep_at_times();
    const auto n =
        static_cast<std::size_t>(1 + shared_.below(shared_.chance(40) ? 8 : kMostNumbers));
    const auto root = static_cast<int>(shared_.below(ranks()));
    const std::uint64_t kind = shared_.below(kinds);
    if (kind < 6) {
      elements(kind, root, ranks() * n);
    } else if (kind < 10) {
      equal_blocks(kind, root, n);
    } else {
      unequal_blocks(kind, root, n);
    }
    failures_.expect(last_was_planned(), "a call was native: " + last_text());
  }

  void elements(std::uint64_t kind, int root, std::size_t n) {
    Numbers mine = block(static_cast<std::size_t>(rank_), n), result(n);
    const int numbers = count(mine);
    if (kind == 0) {
      MPI_Bcast(mine.data(), numbers, MPI_INT, root, MPI_COMM_WORLD);
      expect_right(mine == block(static_cast<std::size_t>(root), n));
    } else if (kind == 1) {
      MPI_Reduce(mine.data(), result.data(), numbers, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
      expect_right(rank_ != root || result == sums(ranks(), n));
    } else if (kind == 2) {
      MPI_Allreduce(mine.data(), result.data(), numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      expect_right(result == sums(ranks(), n));
    } else if (kind == 3) {
      MPI_Scan(mine.data(), result.data(), numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      expect_right(result == sums(static_cast<std::size_t>(rank_) + 1, n));
    } else if (kind == 4) {
      const std::size_t own = n / ranks();
      result.resize(own);
      MPI_Reduce_scatter_block(mine.data(), result.data(), static_cast<int>(own), MPI_INT, MPI_SUM,
                               MPI_COMM_WORLD);
      const Numbers all = sums(ranks(), n);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(own) * rank_;
      expect_right(std::equal(result.begin(), result.end(), begin));
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }

  void equal_blocks(std::uint64_t kind, int root, std::size_t n) {
    if (kind == 9) n = n / ranks() + 1;
    const int numbers = static_cast<int>(n);
    const Numbers equal(ranks(), numbers);
    const Numbers all = joined(everybody(), equal);
    Numbers own = block(static_cast<std::size_t>(rank_), n), came(all.size());
    if (kind == 6) {
      MPI_Gather(own.data(), numbers, MPI_INT, came.data(), numbers, MPI_INT, root, MPI_COMM_WORLD);
      expect_right(rank_ != root || came == all);
    } else if (kind == 7) {
      came.resize(n);
      MPI_Scatter(all.data(), numbers, MPI_INT, came.data(), numbers, MPI_INT, root,
                  MPI_COMM_WORLD);
      expect_right(came == own);
    } else if (kind == 8) {
      MPI_Allgather(own.data(), numbers, MPI_INT, came.data(), numbers, MPI_INT, MPI_COMM_WORLD);
      expect_right(came == all);
    } else {
      const Numbers to_all = joined(pairs(true), equal);
      MPI_Alltoall(to_all.data(), numbers, MPI_INT, came.data(), numbers, MPI_INT, MPI_COMM_WORLD);
      expect_right(came == joined(pairs(false), equal));
    }
  }

  void unequal_blocks(std::uint64_t kind, int root, std::size_t n) {
    const Numbers many = lengths(n), at = places(many);
    const Numbers all = joined(everybody(), many);
    const auto me = static_cast<std::size_t>(rank_);
    Numbers own = block(me, static_cast<std::size_t>(many[me])), came(all.size());
    came.reserve(all.size() + 1);
    if (kind == 10) {
      came.resize(own.size());
      MPI_Scatterv(all.data(), many.data(), at.data(), MPI_INT, came.data(), count(own), MPI_INT,
                   root, MPI_COMM_WORLD);
      expect_right(came == own);
    } else if (kind == 11 && shared_.chance(50)) {
      MPI_Allgatherv(own.data(), count(own), MPI_INT, came.data(), many.data(), at.data(), MPI_INT,
                     MPI_COMM_WORLD);
      expect_right(came == all);
    } else if (kind == 11) {
      exchange_unequal(n / ranks() + 1);
    } else {
      MPI_Gatherv(own.data(), count(own), MPI_INT, came.data(), many.data(), at.data(), MPI_INT,
                  root, MPI_COMM_WORLD);
      expect_right(rank_ != root || came == all);
    }
  }

  /// From rank a to rank b as many as rank a + b has.
  void exchange_unequal(std::size_t n) {
    Numbers many;
    for (std::size_t r = 0; r < ranks(); ++r) {
      many.push_back(length_of((r + static_cast<std::size_t>(rank_)) % ranks(), n));
    }
    const Numbers at = places(many), to_all = joined(pairs(true), many);
    const Numbers wanted = joined(pairs(false), many);
    Numbers came(wanted.size());
    came.reserve(wanted.size() + 1);
    MPI_Alltoallv(to_all.data(), many.data(), at.data(), MPI_INT, came.data(), many.data(),
                  at.data(), MPI_INT, MPI_COMM_WORLD);
    expect_right(came == wanted);
  }
  /// The givers of blocks between this rank and each other one.
  [[nodiscard]] std::vector<std::size_t> pairs(bool sends) const {
    const auto me = static_cast<std::size_t>(rank_);
    std::vector<std::size_t> all;
    for (std::size_t r = 0; r < ranks(); ++r) {
      all.push_back(sends ? me * ranks() + r : r * ranks() + me);
    }
    return all;
  }

  /// So much that some rank has to wait for confirmations, whatever the tree is.
  void many_broadcasts() {
    const std::uint64_t broadcasts = 3 * after_ / (sizeof(int) * kMostNumbers);
    for (std::uint64_t b = 0; b < broadcasts; ++b) {
      ++call_;
      sleep_at_times();
      elements(0, 0, ranks() * kMostNumbers);
    }
  }

  /// Six calls at once, which some ranks start late.
  void start_several() {
    ++call_;
    sleep_at_times();
    const auto n = static_cast<std::size_t>(1 + shared_.below(ranks() * kMostNumbers));
    const auto me = static_cast<std::size_t>(rank_);
    const int numbers = static_cast<int>(n);
    std::array<MPI_Request, kStarts> requests{};
    std::array<Numbers, 3> data;
    const Numbers mine = block(me, n), own = block(me, n / ranks() + 1);
    Numbers sum(n), all(ranks() * own.size());
    const auto expect_planned = [&] {
      failures_.expect(last_was_planned(), "a start was native: " + last_text());
    };
    for (std::size_t b = 0; b < 3; ++b) {
      const std::size_t root = (call_ + b) % ranks();
      data[b] = me == root ? mine : Numbers(n);
      MPI_Ibcast(data[b].data(), numbers, MPI_INT, static_cast<int>(root), MPI_COMM_WORLD,
                 &requests[b]);
      expect_planned();
    }
    MPI_Iallreduce(mine.data(), sum.data(), numbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                   &requests[3]);
    expect_planned();
    MPI_Iallgather(own.data(), count(own), MPI_INT, all.data(), count(own), MPI_INT, MPI_COMM_WORLD,
                   &requests[4]);
    expect_planned();
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[5]);
    expect_planned();
    MPI_Waitall(static_cast<int>(kStarts), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t b = 0; b < 3; ++b) expect_right(data[b] == block((call_ + b) % ranks(), n));
    expect_right(sum == sums(ranks(), n));
    expect_right(all == joined(everybody(), Numbers(ranks(), count(own))));
  }

  /// Bytes of the longest message, with heads and envelopes: at most the data of all ranks.
  [[nodiscard]] std::uint64_t longest_message() const {
    const std::uint64_t bytes = sizeof(int) * ranks() * (kMostNumbers + ranks());
    return bytes + bytes / 32 + 65536;
  }
  void expect_within(std::uint64_t calls_at_once, const std::string& what) {
    const std::uint64_t most = espalier_query_count("most unconfirmed");
    const std::uint64_t bound = mpi::most_left(calls_at_once, after_, longest_message());
    failures_.expect(most <= bound, what + ": " + std::to_string(most) +
                                        " bytes were under way to one rank, more than " +
                                        std::to_string(bound));
  }
  /// Else the bound would say nothing.
  void expect_something() {
    const std::uint64_t mine = espalier_query_count("most unconfirmed");
    std::uint64_t most = 0;
    PMPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    failures_.expect(most > after_ / 2,
                     "only " + std::to_string(most) + " bytes were under way to any rank");
    if (rank_ != 0) return;
    std::printf("most bytes under way: %.1f MiB\n", static_cast<double>(most) / (1 << 20));
  }

  std::uint64_t after_;
  int rank_ = 0, size_ = 1;
  std::uint64_t call_ = 0;
  Random shared_{5};  // the same numbers on all ranks
  Failures failures_;
};

int run(int argc, char** argv) {
  FlowControl test(option(argc, argv, "--after", mpi::ChannelOptions().synchronous_after));
  return test.run(option(argc, argv, "--calls", 200), option(argc, argv, "--nonblocking", 0) != 0);
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
