// Every operation on many simulated ranks: several roots, sizes and types, in place and not, on all
// ranks and on a part of them. Results are compared with what they must be; every call must have
// run along a plan.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace {

using espalier::mpi_test::Failures;

/// How many elements of 8 bytes: these with several roots, and once `large` (SimGrid takes its time
/// for many messages).
struct Counts {
  std::array<int, 4> several;
  int large;
};

/// What rank r puts at element i: sums of it are exact.
std::int64_t value(int r, int i) { return std::int64_t{r} * 31 + std::int64_t{i} * 7 + 1; }

std::int64_t sum(int size, int i) {
  const std::int64_t n = size;
  return n * value(0, i) + 31 * n * (n - 1) / 2;
}

class Checks {
 public:
  Checks(MPI_Comm comm, std::string name, const Counts& counts, Failures& failures)
      : comm_(comm), name_(std::move(name)), counts_(counts), failures_(failures) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }

  void all() {
    for (const int root : roots()) {
      for (const int count : counts_.several) {
        broadcast(root, count);
        broadcast_every_other(root, count);
        reduce(root, count, (root + count) % 2 == 0);
        join_runs(root, count % 100);
      }
    }
    broadcast(size_ / 3, counts_.large);
    reduce(size_ / 3, counts_.large, true);
    allreduce(counts_.large, false);
    for (const int count : counts_.several) {
      for (const bool in_place : {false, true}) allreduce(count, in_place);
    }
    for (int i = 0; i < 3; ++i) barrier();
  }

 private:
  [[nodiscard]] std::vector<int> roots() const {
    std::vector<int> some{0, size_ / 3, size_ / 2 + 1, size_ - 1};
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return some;
  }
  [[nodiscard]] std::vector<std::int64_t> input(int count) const {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = value(rank_, i);
    return all;
  }
  [[nodiscard]] bool is_sum(const std::vector<std::int64_t>& found) const {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] != sum(size_, static_cast<int>(i))) return false;
    }
    return true;
  }
  void done(bool right, const std::string& what) {
    const std::string call = name_ + ": " + what;
    failures_.expect(espalier::mpi_test::last_was_planned(),
                     call + " was native: " + espalier::mpi_test::last_text());
    failures_.expect(right, call + ": wrong data along " + espalier::mpi_test::last_text());
  }
  static std::string text(const char* operation, int root, int count) {
    return operation + std::string(", root ") + std::to_string(root) + ", " +
           std::to_string(count) + " elements";
  }

  void broadcast(int root, int count) {
    auto data = input(count);
    MPI_Bcast(data.data(), count, MPI_INT64_T, root, comm_);
    bool right = true;
    for (int i = 0; i < count; ++i) right &= data[static_cast<std::size_t>(i)] == value(root, i);
    done(right, text("broadcast", root, count));
  }

  /// A type with gaps, which must be left alone.
  void broadcast_every_other(int root, int count) {
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_INT64_T, &every_other);
    MPI_Type_commit(&every_other);
    auto data = input(2 * count);
    MPI_Bcast(data.data(), 1, every_other, root, comm_);
    bool right = true;
    for (int i = 0; i < 2 * count; ++i) {
      right &= data[static_cast<std::size_t>(i)] == value(i % 2 == 0 ? root : rank_, i);
    }
    done(right, text("broadcast of a vector", root, count));
    MPI_Type_free(&every_other);
  }

  void reduce(int root, int count, bool in_place) {
    auto data = input(count);
    std::vector<std::int64_t> result(data.size());
    if (rank_ == root && in_place) {
      result = data;
      MPI_Reduce(MPI_IN_PLACE, result.data(), count, MPI_INT64_T, MPI_SUM, root, comm_);
    } else {
      MPI_Reduce(data.data(), result.data(), count, MPI_INT64_T, MPI_SUM, root, comm_);
    }
    done(rank_ != root || is_sum(result), text("reduce", root, count));
  }

  void allreduce(int count, bool in_place) {
    auto data = input(count);
    std::vector<std::int64_t> result(data.size());
    if (in_place) {
      MPI_Allreduce(MPI_IN_PLACE, data.data(), count, MPI_INT64_T, MPI_SUM, comm_);
      result = data;
    } else {
      MPI_Allreduce(data.data(), result.data(), count, MPI_INT64_T, MPI_SUM, comm_);
    }
    done(is_sum(result), text("allreduce", 0, count));
  }

  /// First and last rank of a run of ranks, and whether it has no gaps: the order matters.
  struct Run {
    int first;
    int last;
    int whole;
  };
  static void join(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    const auto* left = static_cast<const Run*>(in);
    auto* right = static_cast<Run*>(inout);
    for (int i = 0; i < *count; ++i) {
      right[i] = {left[i].first, right[i].last,
                  left[i].whole & right[i].whole & (left[i].last + 1 == right[i].first ? 1 : 0)};
    }
  }
  void join_runs(int root, int count) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op_create(join, 0, &op);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    const std::vector<Run> data(static_cast<std::size_t>(count), {rank_, rank_, 1});
    std::vector<Run> result(data.size());
    MPI_Reduce(data.data(), result.data(), count, type, op, root, comm_);
    const bool right =
        rank_ != root || std::all_of(result.begin(), result.end(), [&](const Run& run) {
          return run.first == 0 && run.last == size_ - 1 && run.whole == 1;
        });
    done(right, text("reduce in order", root, count));
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }

  /// Nobody leaves before the last one is there.
  void barrier() {
    double late = MPI_Wtime();
    MPI_Barrier(comm_);
    const double left = MPI_Wtime();
    const bool planned = espalier::mpi_test::last_was_planned();
    PMPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_DOUBLE, MPI_MAX, comm_);
    failures_.expect(left >= late, name_ + ": a barrier was left too early");
    failures_.expect(planned, name_ + ": barrier was native");
  }

  MPI_Comm comm_;
  std::string name_;
  Counts counts_;
  Failures& failures_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int failed = 0;
  {
    Failures failures;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto large = static_cast<int>(espalier::mpi_test::option(argc, argv, "--large", 131072));
    const Counts counts{{0, 1, 1000, large / 8}, large};
    Checks(MPI_COMM_WORLD, "world", counts, failures).all();
    MPI_Comm part = MPI_COMM_NULL;  // in another order, and of uneven sizes on each machine
    MPI_Comm_split(MPI_COMM_WORLD, rank % 5 == 0 ? 0 : 1, -rank, &part);
    Checks(part, "part", counts, failures).all();
    MPI_Comm_free(&part);
    failures.expect(espalier_query_count("native") == 0, "some calls were native");
    failed = failures.everywhere();
    if (rank == 0 && failed == 0) {
      std::printf("%llu planned calls, all right\n",
                  static_cast<unsigned long long>(espalier_query_count("planned")));
    }
  }
  MPI_Finalize();
  return failed == 0 ? 0 : 1;
}
