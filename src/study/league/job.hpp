#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "league/cell.hpp"
#include "league/contenders.hpp"
#include "topology/machine.hpp"

namespace espalier::league {

/// A machine that is played on, its ranks placed.
struct PlacedMachine {
  std::string machine;
  std::string placement;
  topology::Machine placed;
};

/// Calls of one operation by one contender on one machine: one run of smpirun, sizes from small to
/// large.
struct Job {
  std::size_t placed_machine = 0;
  std::size_t contender = 0;
  schedule::Operation operation = schedule::Operation::Barrier;
  std::vector<std::uint64_t> sizes;
};

struct Field {
  std::filesystem::path program;  ///< smpi_times
  int roots = 2;                  ///< of rooted operations, evenly spread
  int seconds = 60;               ///< of processor time that one job may take
};

/// The platform, the hosts of the ranks and the machine for our runtime, in `folder`.
Expected<std::string> write_machine_files(const PlacedMachine& placed_machine,
                                          const std::filesystem::path& folder);

/// @param folder where write_machine_files() has been
[[nodiscard]] std::vector<std::string> command_of(const Job& job, const Contender& contender,
                                                  const PlacedMachine& placed_machine,
                                                  const Field& field,
                                                  const std::filesystem::path& folder);

/// How a run came to its end.
enum class Ending : std::uint8_t {
  ByItself,  ///< also by aborting: that is the contender's own doing
  TooLong,
  Interrupted,  ///< somebody ended it: says nothing about the contender
  Killed,       ///< the same by a signal that takes no notice, as when memory runs out
};
/// @param exit_code of timeout(1), or 128 + the signal that ended it
[[nodiscard]] Ending ending_of(int exit_code, double seconds, const Field& field);

/// What the program printed, one cell for each of the job's sizes in their order; those after the
/// last line have failed (or took too long).
[[nodiscard]] std::vector<Cell> cells_of(const Job& job, const Contender& contender,
                                         const PlacedMachine& placed_machine,
                                         const std::string& output, bool too_long);

}  // namespace espalier::league
