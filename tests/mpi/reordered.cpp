// Virtual topologies on a machine of two sites whose processes are dealt out in turn: with
// ESPALIER_REORDER=1 neighbours come to the same site, all that MPI says of the topology holds, and
// a stencil gives what it has to give. With argument "off" the ranks must be as they were.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace {

using espalier::Random;
using espalier::mpi_test::Failures;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Sites are world ranks modulo 2: how many of all edges cross.
int crossings(MPI_Comm comm, const std::vector<int>& neighbours) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const int mine = world_rank();
  std::vector<int> world(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, 1, MPI_INT, world.data(), 1, MPI_INT, comm);
  int count = 0, sum = 0;
  for (const int n : neighbours) {
    if (n >= 0) count += world[static_cast<std::size_t>(n)] % 2 != mine % 2 ? 1 : 0;
  }
  MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

double value_at(const std::vector<int>& at, const std::vector<int>& dims) {
  double value = 1;
  for (std::size_t d = 0; d < at.size(); ++d) value = value * (dims[d] + 1) + at[d];
  return value;
}

/// Coordinates, neighbours, and a sum over neighbours that went through messages.
void check_grid(MPI_Comm grid, const std::vector<int>& dims, const std::vector<int>& periods,
                Failures& failures) {
  int me = 0;
  MPI_Comm_rank(grid, &me);
  const auto dimensions = static_cast<int>(dims.size());
  std::vector<int> at(dims.size());
  MPI_Cart_coords(grid, me, dimensions, at.data());
  int row_major = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) row_major = row_major * dims[d] + at[d];
  failures.expect(row_major == me, "a rank is not where its coordinates say");
  double sum = 0, wanted = 0;
  const double mine = value_at(at, dims);
  for (int d = 0; d < dimensions; ++d) {
    for (const int step : {-1, 1}) {
      int from = 0, to = 0;
      MPI_Cart_shift(grid, d, step, &from, &to);
      double got = 0;
      MPI_Sendrecv(&mine, 1, MPI_DOUBLE, to, 1, &got, 1, MPI_DOUBLE, from, 1, grid,
                   MPI_STATUS_IGNORE);
      sum += got;
      std::vector<int> other = at;
      const auto i = static_cast<std::size_t>(d);
      other[i] -= step;
      if (periods[i] != 0) other[i] = (other[i] + dims[i]) % dims[i];
      if (other[i] >= 0 && other[i] < dims[i]) wanted += value_at(other, dims);
    }
  }
  failures.expect(sum == wanted, "a stencil is wrong");
}

std::vector<int> grid_neighbours(MPI_Comm grid, int dimensions) {
  std::vector<int> result;
  for (int d = 0; d < dimensions; ++d) {
    int below = 0, above = 0;
    MPI_Cart_shift(grid, d, 1, &below, &above);
    result.insert(result.end(), {below, above});
  }
  return result;
}

void grids(bool is_on, Failures& failures) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int fewer = 0;
  for (const int columns : {1, 2, 3, 4}) {
    for (const int around : {0, 1}) {
      const std::vector<int> dims{size / columns, columns}, periods{around, 0};
      MPI_Comm before = MPI_COMM_NULL, after = MPI_COMM_NULL;
      MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &before);
      MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 1, &after);
      const bool is_in = after != MPI_COMM_NULL;
      int nodes = is_in ? 1 : 0, all = 0, crossed_before = 0, crossed_after = 0;
      MPI_Allreduce(&nodes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      failures.expect(all == dims[0] * dims[1], "a grid has another number of processes");
      if (before != MPI_COMM_NULL) {
        crossed_before = crossings(before, grid_neighbours(before, 2));
        int rank = 0;
        MPI_Comm_rank(before, &rank);
        failures.expect(rank == world_rank(), "a grid was reordered that must not be");
        MPI_Comm_free(&before);
      }
      if (is_in) {
        check_grid(after, dims, periods, failures);
        crossed_after = crossings(after, grid_neighbours(after, 2));
        MPI_Comm_free(&after);
      }
      std::array<int, 2> here{crossed_before, crossed_after}, most{};
      MPI_Allreduce(here.data(), most.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      fewer += most[0] - most[1];
      failures.expect(
          is_on ? most[1] <= most[0] : most[1] == most[0],
          std::to_string(most[1]) + " edges cross, " + std::to_string(most[0]) + " did");
    }
  }
  failures.expect(!is_on || fewer > 0, "no grid was reordered");
}

/// A path through all processes.
void graph(Failures& failures) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> index, edges;
  for (int i = 0; i < size; ++i) {
    if (i > 0) edges.push_back(i - 1);
    if (i + 1 < size) edges.push_back(i + 1);
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 1, &made);
  int me = 0, count = 0;
  MPI_Comm_rank(made, &me);
  MPI_Graph_neighbors_count(made, me, &count);
  std::vector<int> neighbours(static_cast<std::size_t>(count));
  MPI_Graph_neighbors(made, me, count, neighbours.data());
  const int begin = me == 0 ? 0 : index[static_cast<std::size_t>(me) - 1];
  failures.expect(std::equal(neighbours.begin(), neighbours.end(), edges.begin() + begin),
                  "a graph's neighbours are others");
  MPI_Comm_free(&made);
}

/// Random edges, all ranks alike: node i's neighbours and weights must be what was said of node i.
void distributed(std::uint64_t seed, bool is_weighted, Failures& failures) {
  Random rng(seed);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto n = static_cast<std::size_t>(size);
  std::vector<std::vector<int>> to(n), weight(n), from(n), weight_from(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      // Each has a neighbour: Open MPI 4.1 takes no list of nothing.
      if (i == j || (j != (i + 1) % n && !rng.chance(40))) continue;
      const int w = 1 + static_cast<int>(rng.below(9));
      to[i].push_back(static_cast<int>(j));
      weight[i].push_back(w);
      from[j].push_back(static_cast<int>(i));
      weight_from[j].push_back(w);
    }
  }
  const auto me = static_cast<std::size_t>(world_rank());
  for (const bool is_adjacent : {false, true}) {
    MPI_Comm made = MPI_COMM_NULL;
    int in = static_cast<int>(from[me].size()), out = static_cast<int>(to[me].size());
    const auto weights_or = [&](const std::vector<int>& list) {
      return is_weighted ? list.data() : MPI_UNWEIGHTED;
    };
    if (is_adjacent) {
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from[me].data(),
                                     weights_or(weight_from[me]), out, to[me].data(),
                                     weights_or(weight[me]), MPI_INFO_NULL, 1, &made);
    } else {
      const int source = static_cast<int>(me);
      MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &out, to[me].data(), weights_or(weight[me]),
                            MPI_INFO_NULL, 1, &made);
    }
    int node = 0, weighted = 0;
    MPI_Comm_rank(made, &node);
    const auto i = static_cast<std::size_t>(node);
    MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
    std::vector<int> sources(n), source_weights(n), dests(n), dest_weights(n);
    MPI_Dist_graph_neighbors(made, in, sources.data(), source_weights.data(), out, dests.data(),
                             dest_weights.data());
    sources.resize(static_cast<std::size_t>(in));
    dests.resize(static_cast<std::size_t>(out));
    source_weights.resize(sources.size());
    dest_weights.resize(dests.size());
    failures.expect((weighted != 0) == is_weighted, "weights came or went");
    // MPI_Dist_graph_create says nothing of their order.
    const auto paired = [&](const std::vector<int>& a, const std::vector<int>& b) {
      std::vector<std::pair<int, int>> both;
      for (std::size_t k = 0; k < a.size(); ++k) both.emplace_back(a[k], is_weighted ? b[k] : 1);
      if (!is_adjacent) std::sort(both.begin(), both.end());
      return both;
    };
    failures.expect(paired(sources, source_weights) == paired(from[i], weight_from[i]),
                    "a node hears others than was said");
    failures.expect(paired(dests, dest_weights) == paired(to[i], weight[i]),
                    "a node sends to others than was said");
    MPI_Comm_free(&made);
  }
}

/// What MPI refuses it refuses still.
void refused(Failures& failures) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm own = MPI_COMM_NULL, made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  const int dims[2] = {size + 1, 2}, periods[2] = {0, 0};
  failures.expect(MPI_Cart_create(own, 2, dims, periods, 1, &made) != MPI_SUCCESS,
                  "a grid larger than the communicator");
  const int huge[2] = {40'000, 40'000};  // its edges would take 77 GB
  failures.expect(MPI_Cart_create(own, 2, huge, periods, 1, &made) != MPI_SUCCESS,
                  "a grid far larger than the communicator");
  const int few[2] = {size, 1};
  const std::array<int, 1> none{0};
  const auto refuses = [&](int code, const char* what) {
    int error_class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
    failures.expect(error_class == MPI_ERR_ARG, std::string(what) + " of nowhere");
  };
  refuses(MPI_Cart_create(own, 2, nullptr, periods, 1, &made), "dimensions");
  refuses(MPI_Cart_create(own, 2, few, nullptr, 1, &made), "periods");
  refuses(MPI_Graph_create(own, 1, nullptr, none.data(), 1, &made), "an index");
  MPI_Comm_free(&own);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Failures failures;
  grids(argc < 2 || std::strcmp(argv[1], "off") != 0, failures);
  graph(failures);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    distributed(seed, seed % 2 == 0, failures);
  }
  refused(failures);
  const int wrong = failures.everywhere();
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
