// Topology for applications: what include/espalier.h calls. Nothing here needs MPI to be told
// which calls are planned: it only reads the machine.
#include <algorithm>

#include "pmpi/exports.hpp"
#include "pmpi/intercept.hpp"

namespace espalier::pmpi {
namespace {

mpi::Engine* engine_if_any() { return the_engine.load(std::memory_order_acquire); }

/// Calls each(machine, the world's rank, the communicator's rank).
template <typename Each>
int for_each_rank(int comm, Each each) noexcept {
  const mpi::Engine* engine = engine_if_any();
  if (engine == nullptr) return kNoLibrary;
  try {
    const mpi::MachineSearch::Placed placed = engine->machine().placed(PMPI_Comm_f2c(comm));
    if (placed.ranks.empty()) return kOtherProcesses;
    if (placed.machine == nullptr) return kUnknownMachine;
    for (std::size_t r = 0; r < placed.ranks.size(); ++r) each(*placed.machine, placed.ranks[r], r);
    return kOk;
  } catch (const std::exception& bug) {
    die(bug.what());
  }
}

/// A colour is the cluster whose channel it is: at level 0 the whole machine.
std::vector<int> colours_of(const topology::Machine& machine, Rank rank) {
  const std::vector<std::uint32_t> inside = machine.cluster_ids(rank);
  std::vector<int> colours(inside.size(), 0);
  for (std::size_t l = 1; l < colours.size(); ++l) colours[l] = static_cast<int>(inside[l - 1]);
  return colours;
}

}  // namespace
}  // namespace espalier::pmpi

using espalier::Rank;
using espalier::pmpi::for_each_rank;
using espalier::topology::Machine;

int espalier_topology_discover_() {
  espalier::mpi::Engine* engine = espalier::pmpi::engine_if_any();
  if (engine == nullptr) return espalier::pmpi::kNoLibrary;
  try {
    return engine->machine().discover() ? espalier::pmpi::kOk : espalier::pmpi::kUnknownMachine;
  } catch (const std::exception& bug) {
    espalier::pmpi::die(bug.what());
  }
}

int espalier_topology_levels_(int comm, int* levels) {
  return for_each_rank(comm, [&](const Machine& machine, Rank rank, std::size_t /*at*/) {
    *levels = std::max(*levels, static_cast<int>(machine.depth(rank)));
  });
}

int espalier_topology_depths_(int comm, int* depths) {
  return for_each_rank(comm, [&](const Machine& machine, Rank rank, std::size_t at) {
    depths[at] = static_cast<int>(machine.depth(rank));
  });
}

int espalier_topology_colors_(int comm, int levels, int* colors) {
  return for_each_rank(comm, [&](const Machine& machine, Rank rank, std::size_t at) {
    const std::vector<int> found = espalier::pmpi::colours_of(machine, rank);
    int* own = colors + at * static_cast<std::size_t>(levels);
    for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l) {
      own[l] = l < found.size() ? found[l] : MPI_UNDEFINED;
    }
  });
}

int espalier_topology_attach_(int comm, int* keyvals) {
  std::vector<std::vector<int>> colours;
  const int status = for_each_rank(comm, [&](const Machine& machine, Rank rank, std::size_t) {
    colours.push_back(espalier::pmpi::colours_of(machine, rank));
  });
  if (status != espalier::pmpi::kOk) return status;
  try {
    espalier::mpi::TopologyAttributes& attributes = espalier::pmpi::engine_if_any()->attributes();
    attributes.attach(PMPI_Comm_f2c(comm), colours);
    keyvals[0] = attributes.keyvals().depths;
    keyvals[1] = attributes.keyvals().colours;
    return status;
  } catch (const std::exception& bug) {
    espalier::pmpi::die(bug.what());
  }
}
