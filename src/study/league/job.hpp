#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "league/contenders.hpp"
#include "league/result.hpp"
#include "topology/machine.hpp"

namespace espalier::league {

/// A machine with its ranks placed on it.
struct PlacedMachine {
  std::string name;       ///< the name that it was asked for by: "flat-64"
  std::string placement;  ///< "block" or "cyclic"
  topology::Machine machine;
};

/// Calls of one operation by one contender on one machine: one run of smpirun, sizes from small to
/// large.
struct Job {
  std::size_t machine = 0;    ///< index into LeagueTask::machines
  std::size_t contender = 0;  ///< index into LeagueTask::contenders
  schedule::Operation operation = schedule::Operation::Barrier;
  std::vector<std::uint64_t> sizes;
};

/// How each job is run.
struct RunSettings {
  std::filesystem::path program;  ///< path of smpi_times
  int roots = 2;                  ///< rooted operations: how many roots, evenly spread
  int seconds = 60;               ///< processor time that one job may take
};

/// Writes the platform, the hosts of the ranks and the machine for our runtime into `folder`.
/// Returns the machine as JSON. The folder is made if it is not there; one that is a link or that
/// others may write to is refused, and files there are not written through links.
Expected<std::string> write_machine_files(const PlacedMachine& placed,
                                          const std::filesystem::path& folder);

/// The beginning of a command line that runs a program under smpirun on the files that
/// write_machine_files() made, with exact figures: the program and its arguments follow.
/// @param environment variables of the program, "NAME=VALUE"
[[nodiscard]] std::vector<std::string> smpirun_line(const std::filesystem::path& folder, Rank ranks,
                                                    const std::vector<std::string>& environment);

/// The command line of a job. @param folder the folder that write_machine_files() has filled
[[nodiscard]] std::vector<std::string> command_of(const Job& job, const Contender& contender,
                                                  const PlacedMachine& placed,
                                                  const RunSettings& settings,
                                                  const std::filesystem::path& folder);

/// How a run came to its end.
enum class RunEnding : std::uint8_t {
  ByItself,     ///< the program ended or aborted: the contender's own doing
  TooLong,      ///< the program used up its time
  Interrupted,  ///< a signal from outside: says nothing about the contender
  Killed,       ///< SIGKILL from outside, as when memory runs out
};
/// @param exit_code what timeout(1) returned, or 128 + the signal that ended it
/// @param seconds how long the run took by the clock
[[nodiscard]] RunEnding ending_of(int exit_code, double seconds, const RunSettings& settings);

/// Reads what the program printed: one result for each size of the job, in order. Sizes without a
/// line have failed, or took too long.
[[nodiscard]] std::vector<Result> results_of(const Job& job, const Contender& contender,
                                             const PlacedMachine& placed, const std::string& output,
                                             bool too_long);

/// The files of data/machines/ that make up the standard set, in the order of the page.
inline constexpr std::array kStandardMachines{
    "flat-64",     "three-machine-grid", "dichev-39",   "park-20",      "hnow-64",
    "cloud-zones", "three-continents",   "numa-server", "dragonfly-72", "fat-tree-256"};

}  // namespace espalier::league
