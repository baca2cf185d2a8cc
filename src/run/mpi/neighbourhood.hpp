#pragma once

#include <array>
#include <memory>
#include <optional>

#include "mpi/own_neighbours.hpp"
#include "schedule/neighbour_graph.hpp"

namespace espalier::mpi {

/// The neighbours of all ranks of one communicator, as far as they are known. The same on all its
/// ranks at the same call.
///
/// Of grids and of graphs that MPI_Graph_create made, each rank can tell them alone. Of distributed
/// graphs the ranks tell each other: all hand in as many entries as the ranks with most neighbours
/// have, so that one allgather of equal blocks is enough.
class Neighbourhood {
 public:
  /// Most entries of the lists of all ranks, as they are told: 128 KiB. Above, calls are native.
  static constexpr std::int64_t kMostEntries = 32768;

  explicit Neighbourhood(MPI_Comm comm);

  [[nodiscard]] const OwnNeighbours& own() const { return own_; }
  /// nullptr: not known yet, or refused.
  [[nodiscard]] const std::shared_ptr<const schedule::NeighbourGraph>& graph() const {
    return graph_;
  }
  /// There is no topology, there are too many neighbours, or sources and destinations do not agree.
  [[nodiscard]] bool is_refused() const { return is_refused_; }
  /// Whether ranks have to tell each other.
  [[nodiscard]] bool needs_exchange() const { return own_.topology == MPI_DIST_GRAPH; }
  /// Finds out without talking. @pre !needs_exchange()
  void tell_alone();
  /// How many sources and destinations this rank has.
  [[nodiscard]] std::array<int, 2> degrees() const {
    return {static_cast<int>(own_.sources.size()), static_cast<int>(own_.destinations.size())};
  }
  /// Tells all ranks. Collective, one allgather. @param most the largest degrees() of all ranks
  void exchange(const std::array<int, 2>& most);
  void refuse() { is_refused_ = true; }

 private:
  void take(schedule::NeighbourGraph graph);
  void tell_grid();
  void tell_graph();

  MPI_Comm comm_;
  OwnNeighbours own_;
  std::shared_ptr<const schedule::NeighbourGraph> graph_;
  bool is_refused_ = false;
};

}  // namespace espalier::mpi
