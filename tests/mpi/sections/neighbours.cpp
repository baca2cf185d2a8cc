// Neighbourhood collectives on a grid or a distributed graph, several times, so that the graph is
// told and plans are tried. No rank has a neighbour twice: MPI libraries do not agree on what
// alltoalls do then.
#include <algorithm>
#include <array>

#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

struct Topology {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources, destinations;
};

Topology make_path(Section& section) {
  Topology made;
  const int ends = 0;
  section.note(MPI_Cart_create(section.comm, 1, &section.size, &ends, 0, &made.comm));
  std::array<int, 2> beside{};
  MPI_Cart_shift(made.comm, 0, 1, beside.data(), beside.data() + 1);
  made.sources.assign(beside.begin(), beside.end());
  made.destinations = made.sources;
  return made;
}

/// Each rank sends to those at some distances.
Topology make_circle(Section& section, Random& random) {
  Topology made;
  std::vector<int> distances(static_cast<std::size_t>(section.size));
  for (std::size_t d = 0; d < distances.size(); ++d) distances[d] = static_cast<int>(d);
  random.shuffle(std::span(distances));
  distances.resize(1 + random.below(distances.size()));
  for (const int d : distances) {
    made.destinations.push_back((section.rank + d) % section.size);
    made.sources.push_back((section.rank + section.size - d) % section.size);
  }
  const int degree = static_cast<int>(distances.size());
  section.note(MPI_Dist_graph_create_adjacent(section.comm, degree, made.sources.data(),
                                              MPI_UNWEIGHTED, degree, made.destinations.data(),
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm));
  return made;
}

/// Integers that go from one rank to another in some call.
int ints_between(std::uint64_t call, int from, int to) {
  return static_cast<int>(mixed(call, static_cast<std::uint64_t>(from * 1000 + to)) %
                          (call % 8 == 0 ? 3000 : 9));
}

void gather(Section& section, const Topology& on, std::uint64_t call) {
  const int count = static_cast<int>(call % 50);
  std::vector<int> sent(static_cast<std::size_t>(count), section.rank + 1);
  std::vector<int> got(on.sources.size() * sent.size(), -1);
  section.note(
      MPI_Neighbor_allgather(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, on.comm));
  section.digest.add(got);
}

void exchange(Section& section, const Topology& on, std::uint64_t call) {
  std::vector<int> out, in, out_at, in_at;
  int sum_out = 0, sum_in = 0;
  for (const int to : on.destinations) {
    out.push_back(ints_between(call, section.rank, to));
    out_at.push_back(sum_out);
    sum_out += out.back();
  }
  for (const int from : on.sources) {
    in.push_back(ints_between(call, from, section.rank));
    in_at.push_back(sum_in);
    sum_in += in.back();
  }
  std::vector<int> sent(static_cast<std::size_t>(sum_out) + 1, section.rank);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] += static_cast<int>(1000 * i);
  std::vector<int> got(static_cast<std::size_t>(sum_in) + 1, -1);
  section.note(MPI_Neighbor_alltoallv(sent.data(), out.data(), out_at.data(), MPI_INT, got.data(),
                                      in.data(), in_at.data(), MPI_INT, on.comm));
  section.digest.add(got);
}

}  // namespace

void step_neighbours(Section& section, Random& random) {
  Topology on = random.chance(40) ? make_path(section) : make_circle(section, random);
  const std::uint64_t calls = 1 + random.below(random.chance(30) ? 100 : 12);
  const std::uint64_t seed = random.next();
  section.say("neighbours, " + std::to_string(calls) + " calls");
  for (std::uint64_t i = 0; i < calls; ++i) {
    const std::uint64_t call = mixed(seed, i / 8);  // eight times the same, so that times compare
    if (call % 2 == 0) {
      gather(section, on, call / 2);
    } else {
      exchange(section, on, call / 2);
    }
  }
  free_communicator(on.comm);
}

}  // namespace espalier::sections
