#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discover/experiment.hpp"
#include "mpi/mpi_api.hpp"
#include "mpi/wait_asleep.hpp"

namespace espalier::mpi {

/// What one node has to do in an experiment.
struct ProbeTask {
  discover::Experiment experiment;
  bool initiates = false;  ///< this rank sends first; else it answers
};

/// The tasks of each node, in the order of the rounds. All nodes go through the rounds in one
/// order and a node is in one experiment of a round, so nobody waits for ever.
[[nodiscard]] std::vector<std::vector<ProbeTask>> tasks_by_node(
    std::span<const discover::Round> rounds, discover::Node nodes);

/// Does a node's tasks over a communicator whose ranks are the nodes. @return what was measured in
/// tasks that this node initiated. A node sleeps while it waits for another one to begin, but not
/// while it is timed.
[[nodiscard]] std::vector<discover::Measured> run_tasks(std::span<const ProbeTask> tasks,
                                                        MPI_Comm nodes);

/// The tasks as numbers, to be sent.
[[nodiscard]] std::vector<std::int64_t> to_words(std::span<const ProbeTask> tasks);
[[nodiscard]] std::vector<ProbeTask> tasks_from(std::span<const std::int64_t> words);
/// Whether a node with these tasks initiates one: who only answers has nothing to tell.
[[nodiscard]] bool has_to_initiate(std::span<const std::int64_t> tasks);
[[nodiscard]] std::vector<std::int64_t> to_words(std::span<const discover::Measured> measured);
[[nodiscard]] std::vector<discover::Measured> measured_from(std::span<const std::int64_t> words);

/// The time by a clock that nobody sets. MPICH's MPI_Wtime goes by one that is set, and older
/// versions count from 1970, which is beyond Time.
[[nodiscard]] Time probe_clock();

/// Waits asleep, a little longer each time.
void sleep_for(Time time);
/// Simulated time passes. Defined where time is simulated (kIsSimulated).
void sleep_simulated(std::uint32_t microseconds);

}  // namespace espalier::mpi
