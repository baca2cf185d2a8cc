#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "league/job.hpp"

namespace espalier::league {

/// What is to be played.
struct LeagueTask {
  std::vector<PlacedMachine> placed_machines;
  std::vector<Contender> contenders;
  std::vector<schedule::Operation> operations;
  std::vector<std::uint64_t> sizes;
  /// Events whose buffers, over all ranks, need more are left out: all ranks are one process.
  std::uint64_t memory = std::uint64_t{3} << 30U;
};

/// Events of one machine, operation by operation, sizes from small to large; a barrier once.
[[nodiscard]] std::vector<Event> events_of(const LeagueTask& task,
                                           const PlacedMachine& placed_machine);

struct Progress {
  std::size_t done = 0;
  std::size_t jobs = 0;
  double seconds = 0;  ///< since the first job began
};

struct Rules {
  Field field;
  unsigned at_once = 1;  ///< jobs
  std::string library;   ///< a stamp of our library
  std::filesystem::path folder;
  std::function<void(const Progress&)> progress;
  /// Called for each result as soon as it is there, one at a time.
  std::function<void(const Cell&)> keep;
};

/// What a contender's result on a machine depends on, beside the event.
[[nodiscard]] std::string stamp_of(const PlacedMachine& placed_machine, const Contender& contender,
                                   const Rules& rules);

/// Plays what is not among `known` (same event, contender and stamp), and returns all of it, known
/// ones too, in the order of machines, events and contenders.
///
/// A contender that aborts has failed in that event only: the sizes after it are played again. A
/// run that somebody else ended says nothing: its event is not kept, and after an interrupt nothing
/// more is played.
Expected<std::vector<Cell>> run_league(const LeagueTask& task, const Rules& rules,
                                       std::span<const Cell> known);

}  // namespace espalier::league
