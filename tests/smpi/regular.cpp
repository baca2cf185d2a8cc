// Gather, scatter, allgather, alltoall, reduce-scatter, scan and exscan on many simulated ranks:
// several roots and sizes, in place and not, on all ranks and on a part of them. Results are
// compared with what they must be; every call must have run along a plan.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

namespace {

using espalier::mpi_test::Failures;
using Values = std::vector<std::int64_t>;

/// What rank r has at element i: sums of it are exact.
std::int64_t value(int r, int i) { return std::int64_t{r} * 31 + std::int64_t{i} * 7 + 1; }
/// Of the ranks 0 .. ranks - 1.
std::int64_t sum(int ranks, int i) {
  const std::int64_t n = ranks;
  return n * value(0, i) + 31 * n * (n - 1) / 2;
}

class Checks {
 public:
  Checks(MPI_Comm comm, std::string name, Failures& failures)
      : comm_(comm), name_(std::move(name)), failures_(failures) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }

  void all(int large) {
    for (const int count : {0, 1, 33, large}) {
      for (const bool in_place : {false, true}) {
        for (const int root : {0, size_ / 3, size_ - 1}) {
          gather(root, count, in_place);
          scatter(root, count, in_place);
        }
        allgather(count, in_place);
        alltoall(count, in_place);
        reduce_scatter(count, in_place, false);
        reduce_scatter(count, in_place, true);
        scan(8 * count, in_place);
        exscan(8 * count, in_place);
      }
    }
    scattered_types(100);
    join_runs(5);
  }

 private:
  [[nodiscard]] Values elements(int rank, int first, int count) const {
    Values found(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) found[static_cast<std::size_t>(i)] = value(rank, first + i);
    return found;
  }
  [[nodiscard]] static Values sums(int ranks, int first, int count) {
    Values found(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) found[static_cast<std::size_t>(i)] = sum(ranks, first + i);
    return found;
  }
  /// Blocks of all ranks: `each` elements from `first` on.
  [[nodiscard]] Values of_all(int first, int each) const {
    Values found;
    for (int r = 0; r < size_; ++r) {
      const Values block = elements(r, first, each);
      found.insert(found.end(), block.begin(), block.end());
    }
    return found;
  }
  static void put(Values& all, int block, const Values& values) {
    std::copy(values.begin(), values.end(),
              all.begin() + static_cast<std::ptrdiff_t>(values.size()) * block);
  }
  [[nodiscard]] Values room(int count) const {
    return Values(static_cast<std::size_t>(count) * static_cast<std::size_t>(size_), -1);
  }
  void done(bool right, const std::string& what, int count, bool in_place) {
    const std::string call = name_ + ": " + what + " of " + std::to_string(count) + " elements" +
                             (in_place ? ", in place" : "");
    failures_.expect(espalier::mpi_test::last_was_planned(),
                     call + " was native: " + espalier::mpi_test::last_text());
    failures_.expect(right, call + ": wrong data along " + espalier::mpi_test::last_text());
  }

  void gather(int root, int count, bool in_place) {
    const Values mine = elements(rank_, 0, count);
    Values all = rank_ == root ? room(count) : Values{};
    if (in_place && rank_ == root) {
      put(all, root, mine);
      MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, all.data(), count, MPI_INT64_T, root, comm_);
    } else {
      MPI_Gather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, root, comm_);
    }
    done(rank_ != root || all == of_all(0, count), "gather", count, in_place);
  }

  void scatter(int root, int count, bool in_place) {
    const Values all = rank_ == root ? of_all(0, count) : Values{};
    Values mine(static_cast<std::size_t>(count), -1);
    const bool here = in_place && rank_ == root;
    MPI_Scatter(all.data(), count, MPI_INT64_T, here ? MPI_IN_PLACE : mine.data(), count,
                MPI_INT64_T, root, comm_);
    done(here || mine == elements(rank_, 0, count), "scatter", count, in_place);
  }

  void allgather(int count, bool in_place) {
    const Values mine = elements(rank_, 0, count);
    Values all = room(count);
    if (in_place) put(all, rank_, mine);
    const void* const from = in_place ? MPI_IN_PLACE : mine.data();
    MPI_Allgather(from, count, MPI_INT64_T, all.data(), count, MPI_INT64_T, comm_);
    done(all == of_all(0, count), "allgather", count, in_place);
  }

  void alltoall(int count, bool in_place) {
    const Values mine = elements(rank_, 0, count * size_);
    Values all = in_place ? mine : room(count);
    const void* const from = in_place ? MPI_IN_PLACE : mine.data();
    MPI_Alltoall(from, count, MPI_INT64_T, all.data(), count, MPI_INT64_T, comm_);
    done(all == of_all(rank_ * count, count), "alltoall", count, in_place);
  }

  void reduce_scatter(int count, bool in_place, bool unequal) {
    std::vector<int> counts(static_cast<std::size_t>(size_), count);
    for (int r = 0; unequal && r < size_; ++r) counts[static_cast<std::size_t>(r)] = r % 3 * count;
    const int all = std::accumulate(counts.begin(), counts.end(), 0);
    const int first = std::accumulate(counts.begin(), counts.begin() + rank_, 0);
    const int length = counts[static_cast<std::size_t>(rank_)];
    const Values mine = elements(rank_, 0, all);
    Values result = in_place ? mine : Values(static_cast<std::size_t>(length), -1);
    const void* const from = in_place ? MPI_IN_PLACE : mine.data();
    if (unequal) {
      MPI_Reduce_scatter(from, result.data(), counts.data(), MPI_INT64_T, MPI_SUM, comm_);
    } else {
      MPI_Reduce_scatter_block(from, result.data(), count, MPI_INT64_T, MPI_SUM, comm_);
    }
    result.resize(static_cast<std::size_t>(length));
    done(result == sums(size_, first, length),
         unequal ? "unequal reduce-scatter" : "reduce-scatter", count, in_place);
  }

  void scan(int count, bool in_place) {
    const Values mine = elements(rank_, 0, count);
    Values result = in_place ? mine : Values(mine.size(), -1);
    MPI_Scan(in_place ? MPI_IN_PLACE : mine.data(), result.data(), count, MPI_INT64_T, MPI_SUM,
             comm_);
    done(result == sums(rank_ + 1, 0, count), "scan", count, in_place);
  }

  void exscan(int count, bool in_place) {
    const Values mine = elements(rank_, 0, count);
    const Values before = in_place ? mine : Values(mine.size(), -1);
    Values result = before;
    MPI_Exscan(in_place ? MPI_IN_PLACE : mine.data(), result.data(), count, MPI_INT64_T, MPI_SUM,
               comm_);
    done(result == (rank_ == 0 ? before : sums(rank_, 0, count)), "exscan", count, in_place);
  }

  /// Ranks send one type and receive another, with gaps that must be left alone.
  void scattered_types(int count) {
    MPI_Datatype vector = MPI_DATATYPE_NULL, every_other = MPI_DATATYPE_NULL;
    MPI_Type_vector(1, 1, 2, MPI_INT64_T, &vector);
    MPI_Type_create_resized(vector, 0, 16, &every_other);
    MPI_Type_commit(&every_other);
    const Values mine = elements(rank_, 0, count * size_);
    Values all = room(2 * count);
    MPI_Alltoall(mine.data(), count, MPI_INT64_T, all.data(), count, every_other, comm_);
    const Values due = of_all(rank_ * count, count);
    bool right = true;
    for (std::size_t i = 0; i < due.size(); ++i) {
      right = right && all[2 * i] == due[i] && all[2 * i + 1] == -1;
    }
    done(right, "alltoall into every other", count, false);
    MPI_Type_free(&every_other);
    MPI_Type_free(&vector);
  }

  /// First and last rank of a run of ranks, and whether it has no gaps: the order matters.
  struct Run {
    int first, last, whole;
  };
  static void join(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    const auto* left = static_cast<const Run*>(in);
    auto* right = static_cast<Run*>(inout);
    for (int i = 0; i < *count; ++i) {
      right[i] = {left[i].first, right[i].last,
                  left[i].whole & right[i].whole & (left[i].last + 1 == right[i].first ? 1 : 0)};
    }
  }
  void join_runs(int count) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op_create(join, 0, &op);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    const std::vector<Run> mine(static_cast<std::size_t>(count * size_), {rank_, rank_, 1});
    std::vector<Run> result(static_cast<std::size_t>(count));
    const auto is_run_to = [&](int last) {
      return std::all_of(result.begin(), result.end(), [&](const Run& run) {
        return run.first == 0 && run.last == last && run.whole == 1;
      });
    };
    MPI_Reduce_scatter_block(mine.data(), result.data(), count, type, op, comm_);
    done(is_run_to(size_ - 1), "reduce-scatter in order", count, false);
    MPI_Scan(mine.data(), result.data(), count, type, op, comm_);
    done(is_run_to(rank_), "scan in order", count, false);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }

  MPI_Comm comm_;
  std::string name_;
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
    const auto large = static_cast<int>(espalier::mpi_test::option(argc, argv, "--large", 400));
    Checks(MPI_COMM_WORLD, "world", failures).all(large);
    MPI_Comm part = MPI_COMM_NULL;  // in another order, and of uneven sizes on each machine
    MPI_Comm_split(MPI_COMM_WORLD, rank % 5 == 0 ? 0 : 1, -rank, &part);
    Checks(part, "part", failures).all(large / 10);
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
