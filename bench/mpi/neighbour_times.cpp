// How long neighbourhood collectives take. On the lab, natively, by default and along plans:
//
//   espalier lab up "site:2(10ms,100Mbit/s,name=wan) machine:1|2(250us,1Gbit/s,name=lan) proc:4"
//   espalier lab run -- neighbour_times.mpich
//   espalier lab run --espalier -- neighbour_times.mpich --settled
//   espalier lab run --espalier --env ESPALIER_FORCE=1 -- neighbour_times.mpich
//
// With --settled calls are compared before they are measured. Graphs: a grid of two dimensions, and
// a distributed graph in which each rank sends to five others at random (the same in every run).
// Medians of several calls, from a common start to the end of the last rank:
//
//   graph operation bytes ms wrong what_ran
//
// what_ran: the plan, or "native"; "-" without the library.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

extern "C" __attribute__((weak)) const char* espalier_query_last(int* planned);

namespace {

constexpr int kRounds = 9;
constexpr int kSettling = 64;
constexpr int kDegree = 5;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double slowest(double seconds) {
  double all = 0;
  PMPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// All ranks go on at the same time, which is returned; the hosts of a lab share a clock.
double begin_together() {
  constexpr double kLongEnough = 60e-3;
  const double begin = slowest(now()) + kLongEnough;
  const double left = std::max(0.0, begin - now());
  timespec pause{};
  pause.tv_nsec = static_cast<long>(left * 1e9);
  nanosleep(&pause, nullptr);
  return begin;
}

struct Graph {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources, destinations;  // MPI_PROC_NULL on the border of a grid
};

Graph grid(int size) {
  Graph made{"grid", MPI_COMM_NULL, {}, {}};
  int dims[2] = {0, 0}, periods[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made.comm);
  for (int dimension = 0; dimension < 2; ++dimension) {
    int before = 0, after = 0;
    MPI_Cart_shift(made.comm, dimension, 1, &before, &after);
    for (const int rank : {before, after}) {
      made.sources.push_back(rank);
      made.destinations.push_back(rank);
    }
  }
  return made;
}

/// Every rank draws the whole graph, so all know the same one.
Graph random_graph(int size, int self) {
  Graph made{"random", MPI_COMM_NULL, {}, {}};
  std::mt19937 draw(7);
  for (int from = 0; from < size; ++from) {
    std::vector<int> others(static_cast<std::size_t>(size));
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + from);
    for (std::size_t left = others.size(); left > 1; --left) {
      std::swap(others[left - 1], others[draw() % left]);
    }
    others.resize(std::min<std::size_t>(others.size(), kDegree));
    for (const int to : others) {
      if (from == self) made.destinations.push_back(to);
      if (to == self) made.sources.push_back(from);
    }
  }
  MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD, static_cast<int>(made.sources.size()), made.sources.data(), MPI_UNWEIGHTED,
      static_cast<int>(made.destinations.size()), made.destinations.data(), MPI_UNWEIGHTED,
      MPI_INFO_NULL, 0, &made.comm);
  return made;
}

char letter(int from, int to) { return static_cast<char>(1 + (from * 31 + to * 7) % 120); }

/// Blocks of one call, and whether what came is right.
class Exchange {
 public:
  Exchange(const Graph& graph, int self, int bytes, bool is_allgather)
      : graph_(graph), self_(self), bytes_(bytes), is_allgather_(is_allgather) {
    const auto size = static_cast<std::size_t>(bytes);
    in_.resize(size * (is_allgather ? 1 : graph.destinations.size()));
    out_.resize(size * graph.sources.size());
    for (std::size_t d = 0; d * size < in_.size(); ++d) {
      std::memset(in_.data() + d * size, is_allgather ? letter(self, 0) : to(d), size);
    }
  }
  void run() {
    if (is_allgather_) {
      MPI_Neighbor_allgather(in_.data(), bytes_, MPI_CHAR, out_.data(), bytes_, MPI_CHAR,
                             graph_.comm);
    } else {
      MPI_Neighbor_alltoall(in_.data(), bytes_, MPI_CHAR, out_.data(), bytes_, MPI_CHAR,
                            graph_.comm);
    }
  }
  [[nodiscard]] int wrong() {
    int wrong = 0;
    const auto size = static_cast<std::size_t>(bytes_);
    for (std::size_t s = 0; s < graph_.sources.size(); ++s) {
      const int from = graph_.sources[s];
      if (from == MPI_PROC_NULL) continue;
      const char wanted = is_allgather_ ? letter(from, 0) : letter(from, self_);
      const char* const block = out_.data() + s * size;
      wrong += std::count(block, block + size, wanted) == bytes_ ? 0 : 1;
    }
    std::fill(out_.begin(), out_.end(), '\0');
    return wrong;
  }

 private:
  [[nodiscard]] char to(std::size_t destination) const {
    return letter(self_, graph_.destinations[destination]);
  }

  const Graph& graph_;
  int self_, bytes_;
  bool is_allgather_;
  std::vector<char> in_, out_;
};

const char* what_ran() {
  if (espalier_query_last == nullptr) return "-";
  int planned = 0;
  const char* const name = espalier_query_last(&planned);
  return planned != 0 ? name : "native";
}

void measure(Exchange& exchange, const std::string& label, int self, bool is_settled) {
  for (int i = 0; i < (is_settled ? kSettling : 4); ++i) exchange.run();
  std::vector<double> times;
  int wrong = 0, all_wrong = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double begin = begin_together();
    exchange.run();
    times.push_back(slowest(now() - begin));
    wrong += exchange.wrong();
  }
  PMPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::sort(times.begin(), times.end());
  if (self != 0) return;
  std::printf("%s %.2f %d %s\n", label.c_str(), times[kRounds / 2] * 1e3, all_wrong, what_ran());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool is_settled = argc > 1 && std::strcmp(argv[1], "--settled") == 0;
  int self = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (Graph graph : {grid(size), random_graph(size, self)}) {
    for (const bool is_allgather : {true, false}) {
      for (const int bytes : {8, 1024, 16384, 65536}) {
        Exchange exchange(graph, self, bytes, is_allgather);
        measure(exchange,
                graph.name + (is_allgather ? " allgather " : " alltoall ") + std::to_string(bytes),
                self, is_settled);
      }
    }
    MPI_Comm_free(&graph.comm);
  }
  MPI_Finalize();
  return 0;
}
