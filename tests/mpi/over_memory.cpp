// Broadcast, reduce, allreduce and barrier over several nodes whose ranks share memory, forced:
// compared with native calls, and which calls go so.
//
//   over_memory [--rounds N] [--over 0 | 2]
//
// Lengths of 0 to 4 MiB about the borders of cells, slots and pieces, every root, in place,
// operations of the program, duplicates of communicators. With --over 0 no call may go over memory,
// with --over 2 any may.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"
#include "support/long_run.hpp"

namespace espalier::mpi_test {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The greatest common divisor: it commutes, and MPI does not know it.
void divide(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const from = static_cast<const std::int64_t*>(in);
  auto* const to = static_cast<std::int64_t*>(inout);
  for (int i = 0; i < *count; ++i) to[i] = std::gcd(from[i], to[i]);
}
/// a op b = b: it does not commute.
void take_second(void* /*in*/, void* /*inout*/, int* /*count*/, MPI_Datatype* /*type*/) {}

class OverMemory {
 public:
  explicit OverMemory(std::uint64_t over) : is_over_(over != 0), may_differ_(over == 2) {
    MPI_Op_create(divide, 1, &divisor_);
    MPI_Op_create(take_second, 0, &second_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~OverMemory() {
    MPI_Op_free(&divisor_);
    MPI_Op_free(&second_);
  }
  OverMemory(const OverMemory&) = delete;
  OverMemory& operator=(const OverMemory&) = delete;

  void all_calls(MPI_Comm comm, bool is_short) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    for (const int count : lengths(is_short)) {
      for (int root = 0; root < size; ++root) {
        // Long ones need not come from everywhere.
        if (count > 5000 && root != count % size) continue;
        broadcast(comm, count, root);
        for (const bool in_place : {false, true}) reduce(comm, count, root, in_place);
      }
      for (const bool in_place : {false, true}) allreduce(comm, count, in_place);
      barriers(comm);
    }
    others(comm);
  }
  /// One after the other, without anything in between: ranks are ahead of each other.
  void many_calls(MPI_Comm comm) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 100; ++i) {
      std::int64_t value = rank_ == i % size ? i : -1;
      MPI_Bcast(&value, 1, MPI_INT64_T, i % size, comm);
      failures_.expect(value == i, "a short broadcast");
      std::int64_t sum = 0;
      MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
      failures_.expect(sum == size * value, "a short allreduce");
    }
    for (int i = 0; i < 100; ++i) {
      std::int64_t value = rank_ == 0 ? i : -1, sum = 0;
      MPI_Bcast(&value, 1, MPI_INT64_T, 0, comm);
      failures_.expect(value == i, "one broadcast behind the other");
      MPI_Reduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, 0, comm);
      failures_.expect(rank_ != 0 || sum == size * value, "a short reduce");
    }
  }
  /// The leader of one node comes late: nobody leaves a barrier before it.
  void late(MPI_Comm comm) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    for (int one = 0; one < size; ++one) {
      double now = time();
      if (rank_ == one) {
        while (time() < now + 0.02) continue;
        now = time();
      }
      double last = 0;
      MPI_Barrier(comm);
      const double left = time();
      PMPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
      failures_.expect(left >= last, "a barrier that somebody left too early");
    }
  }

  /// Looking at every rank of a large machine takes tens of milliseconds.
  void nodes_are_known_if_wanted() {
    if (!library_is_there()) return;
    failures_.expect((espalier_query_count("groups with nodes") > 0) == is_over_, "nodes");
  }

  [[nodiscard]] const Failures& failures() const { return failures_; }

 private:
  /// The same for all processes of a host, which MPI_Wtime() need not be.
  static double time() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  /// In numbers of 8 bytes.
  [[nodiscard]] static std::vector<int> lengths(bool is_short) {
    std::vector<int> all{0, 1, 13, 14, 15, 511, 513, 2049, 4097, 8193};
    if (is_short) return all;
    for (const int n : {16385, 32767, 32768, 32769, 40000, 65537, 524288}) all.push_back(n);
    return all;
  }
  [[nodiscard]] static Numbers input(int rank, int count) {
    Numbers numbers(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 360 * (static_cast<std::int64_t>(i) % 97 + rank + 1);
    }
    return numbers;
  }
  static std::string text(const char* what, int count, int root) {
    return std::string(what) + " of " + std::to_string(count) + ", root " + std::to_string(root);
  }
  void expect_over(bool is_served, const std::string& what) {
    if (!library_is_there() || may_differ_) return;
    const bool is = last_text().find("over shared memory") != std::string::npos;
    failures_.expect(is == (is_over_ && is_served), what + ": went along " + last_text());
  }

  void broadcast(MPI_Comm comm, int count, int root) {
    const std::string what = text("broadcast", count, root);
    Numbers ours = input(rank_, count);
    MPI_Bcast(ours.data(), count, MPI_INT64_T, root, comm);
    expect_over(true, what);
    failures_.expect(ours == input(root, count), what);
  }
  void reduce(MPI_Comm comm, int count, int root, bool in_place) {
    const std::string what = text(in_place ? "reduce in place" : "reduce", count, root);
    for (MPI_Op op : {MPI_SUM, divisor_}) {
      const Numbers own = input(rank_, count);
      const bool is_root = rank_ == root;
      Numbers ours = own, theirs(own.size());
      const void* const from = in_place && is_root ? MPI_IN_PLACE : own.data();
      MPI_Reduce(from, is_root ? ours.data() : nullptr, count, MPI_INT64_T, op, root, comm);
      expect_over(true, what);
      PMPI_Reduce(own.data(), theirs.data(), count, MPI_INT64_T, op, root, comm);
      failures_.expect(ours == (is_root ? theirs : own), what);
    }
  }
  void allreduce(MPI_Comm comm, int count, bool in_place) {
    const std::string what = text(in_place ? "allreduce in place" : "allreduce", count, 0);
    for (MPI_Op op : {MPI_SUM, MPI_MAX, divisor_}) {
      const Numbers own = input(rank_, count);
      Numbers ours = own, theirs(own.size());
      MPI_Allreduce(in_place ? MPI_IN_PLACE : own.data(), ours.data(), count, MPI_INT64_T, op,
                    comm);
      expect_over(true, what);
      PMPI_Allreduce(own.data(), theirs.data(), count, MPI_INT64_T, op, comm);
      failures_.expect(ours == theirs, what);
    }
  }
  void barriers(MPI_Comm comm) {
    for (int i = 0; i < 3; ++i) MPI_Barrier(comm);
    expect_over(true, "barrier");
  }
  /// Types with gaps, operations that do not commute, sums that round.
  void others(MPI_Comm comm) {
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Type_vector(1000, 3, 5, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    std::vector<int> data(5000);
    for (const int root : {0, 1}) {
      std::iota(data.begin(), data.end(), rank_ == root ? 7 : 100000);
      MPI_Bcast(data.data(), 1, gaps, root, comm);
      expect_over(true, "broadcast with gaps");
      bool is_right = true;
      for (int i = 0; i < 4998; ++i) {
        const bool is_sent = i % 5 < 3;
        is_right &=
            data[static_cast<std::size_t>(i)] == i + (is_sent || rank_ == root ? 7 : 100000);
      }
      failures_.expect(is_right, "broadcast with gaps");
    }
    MPI_Type_free(&gaps);
    // One rank sends them as bytes.
    std::int64_t value = rank_ == 1 ? 42 : 0;
    MPI_Bcast(&value, rank_ == 0 ? 8 : 1, rank_ == 0 ? MPI_BYTE : MPI_INT64_T, 1, comm);
    failures_.expect(value == 42, "broadcast of two types");

    const std::int64_t own = rank_ + 1;
    std::int64_t last = 0;
    MPI_Allreduce(&own, &last, 1, MPI_INT64_T, second_, comm);
    expect_over(false, "an operation that does not commute");
    int size = 1;
    MPI_Comm_size(comm, &size);
    failures_.expect(last == size, "an operation that does not commute");

    struct Pair {
      double value;
      int index;
    };
    const Pair pair{static_cast<double>(rank_), rank_};
    Pair largest{};
    MPI_Allreduce(&pair, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    expect_over(false, "a type with gaps");
    failures_.expect(largest.index == size - 1, "a type with gaps");

    std::vector<double> parts(5001), sums(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i] = 1.0 / (3.0 + static_cast<double>(i) + rank_);
    }
    MPI_Allreduce(parts.data(), sums.data(), 5001, MPI_DOUBLE, MPI_SUM, comm);
    std::uint64_t hash = 0;
    for (const double sum : sums) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &sum, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3ULL;
    }
    std::array<std::uint64_t, 2> ends{hash, ~hash};
    PMPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_UINT64_T, MPI_MIN, comm);
    failures_.expect(ends[0] == ~ends[1], "ranks have different bits");
  }

  const bool is_over_;
  const bool may_differ_;  // trials decide
  int rank_ = 0;
  MPI_Op divisor_ = MPI_OP_NULL, second_ = MPI_OP_NULL;
  Failures failures_;
};

int run(int argc, char** argv) {
  OverMemory test(option(argc, argv, "--over", 1));
  const std::uint64_t rounds = option(argc, argv, "--rounds", 1);
  for (std::uint64_t i = 0; i < rounds; ++i) test.all_calls(MPI_COMM_WORLD, false);
  test.many_calls(MPI_COMM_WORLD);
  test.late(MPI_COMM_WORLD);
  for (int i = 0; i < (is_long_run() ? 6 : 3); ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (i == 0) {
      test.all_calls(comm, true);
    } else {
      test.many_calls(comm);
    }
    MPI_Comm_free(&comm);  // others may still read
  }
  test.nodes_are_known_if_wanted();
  const int code = test.failures().exit_code();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%s\n", code == 0 ? "all is right" : "something is wrong");
  return code;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
