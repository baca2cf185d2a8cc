#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discover/experiment.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// What one node has to do in a sweep.
struct SweepTask {
  struct Target {
    int rank = 0;
    std::uint32_t repeats = 1;
    Time patience;
  };
  std::vector<Target> targets;  ///< whom it asks
  std::int64_t askers = 0;      ///< how many ask it
};

/// The tasks of each node. @pre all are round trips between two of `ranks`, which names the nodes
[[nodiscard]] std::vector<SweepTask> sweep_by_node(
    std::span<const discover::Experiment> round_trips, std::span<const int> ranks);

/// Asks all targets at once, and answers meanwhile whoever asks. The first answer of each is not
/// timed: it shows that they are connected. @return the samples of each target
[[nodiscard]] std::vector<discover::Measured> run_sweep(const SweepTask& task, MPI_Comm comm);

/// As numbers, to be sent.
[[nodiscard]] std::vector<std::int64_t> to_words(const SweepTask& task);
[[nodiscard]] SweepTask sweep_from(std::span<const std::int64_t> words);

}  // namespace espalier::mpi
