// Whether the library slows a program down where there is nothing to gain: every blocking
// collective from 8 B to 1 MiB, MPI_X (with whatever was decided in its first calls) against
// PMPI_X, in one run, alternating (ABBA) so that a drifting computer hits both. Prints a line a
// cell: the median ratio native / ours (above 1: ours is faster), its 95 % interval by order
// statistics, what was decided; at the end the geometric mean and how many cells are slower than
// native by more than 5 % and 50 ns with their whole interval.
//
//   mpiexec.mpich -n 2 -bind-to core -genv LD_PRELOAD lib/libespalier.so
//       mpi/never_slower.mpich
//   mpiexec.openmpi -n 8 --oversubscribe -x LD_PRELOAD=lib/libespalier.so
//       mpi/never_slower.openmpi [--quick] [--all-bytes 8,1024]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

extern "C" __attribute__((weak)) const char* espalier_query_last(int* planned);
extern "C" __attribute__((weak)) std::uint64_t espalier_query_count(const char* name);

namespace {

constexpr int kFewestCalls = 160;
constexpr int kMostCalls = 400000;
constexpr double kMostSeconds = 30;
int rounds = 11;
double block_seconds = 0.004;
int rank = 0, size = 1;
MPI_Comm comm = MPI_COMM_NULL;

/// Memory and arguments of a call of `bytes` a rank (a block of it, or the whole vector).
struct Data {
  explicit Data(int bytes)
      : n(std::max(1, bytes / 8)),
        in(static_cast<std::size_t>(n) * static_cast<std::size_t>(size), 1.0),
        out(in.size()),
        counts(static_cast<std::size_t>(size), n),
        places(static_cast<std::size_t>(size)),
        byte_places(places.size()),
        types(places.size(), MPI_DOUBLE) {
    for (std::size_t r = 0; r < places.size(); ++r) {
      places[r] = static_cast<int>(r) * n;
      byte_places[r] = places[r] * 8;
    }
  }
  int n;
  std::vector<double> in, out;
  std::vector<int> counts, places, byte_places;
  std::vector<MPI_Datatype> types;
};

struct Operation {
  const char* name;
  std::function<void(Data&)> ours, native;
};

#define BOTH(NAME, ...)                  \
  {                                      \
#NAME, [](Data& d) {                   \
      static_cast<void>(d);                \
      MPI_##NAME(__VA_ARGS__);             \
    },                                     \
        [](Data& d) {                      \
          static_cast<void>(d);            \
          PMPI_##NAME(__VA_ARGS__);        \
        } \
  }

std::vector<Operation> operations() {
  return {
      BOTH(Bcast, d.in.data(), d.n, MPI_DOUBLE, 0, comm),
      BOTH(Reduce, d.in.data(), d.out.data(), d.n, MPI_DOUBLE, MPI_SUM, 0, comm),
      BOTH(Allreduce, d.in.data(), d.out.data(), d.n, MPI_DOUBLE, MPI_SUM, comm),
      BOTH(Gather, d.in.data(), d.n, MPI_DOUBLE, d.out.data(), d.n, MPI_DOUBLE, 0, comm),
      BOTH(Scatter, d.in.data(), d.n, MPI_DOUBLE, d.out.data(), d.n, MPI_DOUBLE, 0, comm),
      BOTH(Allgather, d.in.data(), d.n, MPI_DOUBLE, d.out.data(), d.n, MPI_DOUBLE, comm),
      BOTH(Alltoall, d.in.data(), d.n, MPI_DOUBLE, d.out.data(), d.n, MPI_DOUBLE, comm),
      BOTH(Reduce_scatter, d.in.data(), d.out.data(), d.counts.data(), MPI_DOUBLE, MPI_SUM, comm),
      BOTH(Reduce_scatter_block, d.in.data(), d.out.data(), d.n, MPI_DOUBLE, MPI_SUM, comm),
      BOTH(Scan, d.in.data(), d.out.data(), d.n, MPI_DOUBLE, MPI_SUM, comm),
      BOTH(Exscan, d.in.data(), d.out.data(), d.n, MPI_DOUBLE, MPI_SUM, comm),
      BOTH(Gatherv, d.in.data(), d.n, MPI_DOUBLE, d.out.data(), d.counts.data(), d.places.data(),
           MPI_DOUBLE, 0, comm),
      BOTH(Scatterv, d.in.data(), d.counts.data(), d.places.data(), MPI_DOUBLE, d.out.data(), d.n,
           MPI_DOUBLE, 0, comm),
      BOTH(Allgatherv, d.in.data(), d.n, MPI_DOUBLE, d.out.data(), d.counts.data(), d.places.data(),
           MPI_DOUBLE, comm),
      BOTH(Alltoallv, d.in.data(), d.counts.data(), d.places.data(), MPI_DOUBLE, d.out.data(),
           d.counts.data(), d.places.data(), MPI_DOUBLE, comm),
      BOTH(Alltoallw, d.in.data(), d.counts.data(), d.byte_places.data(), d.types.data(),
           d.out.data(), d.counts.data(), d.byte_places.data(), d.types.data(), comm),
      BOTH(Barrier, comm),
  };
}

/// Seconds a call, on the rank that took longest.
double timed(const std::function<void(Data&)>& call, Data& data, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = PMPI_Wtime();
  for (int i = 0; i < calls; ++i) call(data);
  double took = (PMPI_Wtime() - begin) / calls;
  PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return took;
}

struct Cell {
  double ratio = 1, low = 1, high = 1;  // native time / our time, and its interval
  double ours = 0, native = 0;          // seconds
  [[nodiscard]] bool is_slower() const { return high < 1 / 1.05 && ours - native > 50e-9; }
};

/// Calls until the trial is over: that is at the same call on all ranks.
void decide(const Operation& operation, Data& data) {
  const double begin = PMPI_Wtime();
  for (int calls = 0; calls < kMostCalls; calls += kFewestCalls) {
    for (int i = 0; i < kFewestCalls; ++i) operation.ours(data);
    if (espalier_query_count == nullptr || espalier_query_count("undecided") == 0) return;
    int is_late = PMPI_Wtime() - begin > kMostSeconds ? 1 : 0;
    PMPI_Bcast(&is_late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_late != 0) return;
  }
}

Cell compare(const Operation& operation, Data& data) {
  double once = timed(operation.native, data, 4);
  // Long beside the way of a message, since the last one has to arrive.
  const double block = std::max(block_seconds, std::min(8 * once, 0.02));
  // One way only, calls follow each other faster than they arrive.
  if (once < 0.03) once = timed(operation.native, data, 64);
  decide(operation, data);
  const int calls = std::clamp(static_cast<int>(block / once), 1, 4000);
  std::vector<double> ratios, ours, native;
  for (int round = 0; round < rounds; ++round) {
    // What comes first may be slow for that alone: each sample has both in both places.
    double mine = timed(operation.ours, data, calls);
    const double theirs = timed(operation.native, data, calls);
    native.push_back((theirs + timed(operation.native, data, calls)) / 2);
    mine += timed(operation.ours, data, calls);
    ours.push_back(mine / 2);
    ratios.push_back(native.back() / ours.back());
  }
  for (auto* all : {&ratios, &ours, &native}) std::sort(all->begin(), all->end());
  const auto n = static_cast<double>(rounds);
  const int off = static_cast<int>(std::floor(0.98 * std::sqrt(n)));  // sign test, 95 %
  const auto at = [&](int i) { return static_cast<std::size_t>(std::clamp(i, 0, rounds - 1)); };
  const int middle = rounds / 2;
  return {ratios[at(middle)], ratios[at(middle - off)], ratios[at(middle + off)], ours[at(middle)],
          native[at(middle)]};
}

std::vector<int> sizes_of(const char* text) {
  std::vector<int> sizes;
  for (const char* at = text; at != nullptr && *at != 0; at = std::strchr(at, ',')) {
    if (*at == ',') ++at;
    sizes.push_back(std::atoi(at));
  }
  return sizes;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<int> sizes{8, 1024, 65536, 1048576};
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") rounds = 7, block_seconds = 0.002;
    if (word == "--all-bytes" && i + 1 < argc) sizes = sizes_of(argv[++i]);
    if (word == "--only" && i + 1 < argc) only = argv[++i];
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double logs = 0;
  int cells = 0, slower = 0, planned_cells = 0;
  for (const Operation& operation : operations()) {
    if (!only.empty() && only != operation.name) continue;
    for (const int bytes : sizes) {
      if (std::string(operation.name) == "Barrier" && bytes != sizes.front()) continue;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);  // a new communicator makes a new decision
      Data data(bytes);
      const Cell cell = compare(operation, data);
      operation.ours(data);
      int planned = 0;
      const char* how =
          espalier_query_last == nullptr ? "not preloaded" : espalier_query_last(&planned);
      ++cells;
      logs += std::log(cell.ratio);
      slower += cell.is_slower() ? 1 : 0;
      planned_cells += planned;
      if (rank == 0) {
        std::printf(
            "%-20s %8d B  ours %10.2f us  native %10.2f us  ratio %6.3f [%.3f, %.3f]%s  %s\n",
            operation.name, bytes, cell.ours * 1e6, cell.native * 1e6, cell.ratio, cell.low,
            cell.high, cell.is_slower() ? " SLOWER" : "", how);
        std::fflush(stdout);
      }
      MPI_Comm_free(&comm);
    }
  }
  if (rank == 0) {
    std::printf("%d ranks: geometric mean %.3f over %d cells (%d along plans), %d slower\n", size,
                std::exp(logs / std::max(1, cells)), cells, planned_cells, slower);
  }
  MPI_Finalize();
}
