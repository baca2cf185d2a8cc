#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "league/job.hpp"

namespace espalier::league {

/// What is to be measured.
struct LeagueTask {
  std::vector<PlacedMachine> machines;
  std::vector<Contender> contenders;
  std::vector<schedule::Operation> operations;
  std::vector<std::uint64_t> sizes;
  /// Most bytes of buffers, over all ranks, that an event may need; other events are left out. All
  /// ranks are one process under SMPI.
  std::uint64_t memory = std::uint64_t{3} << 30U;
};

/// The events of one machine: operation by operation, sizes from small to large. A barrier is one
/// event.
[[nodiscard]] std::vector<LeagueEvent> events_of(const LeagueTask& task,
                                                 const PlacedMachine& placed);

/// How far the league has come.
struct LeagueProgress {
  std::size_t done = 0;  ///< jobs that have ended
  std::size_t jobs = 0;
  double seconds = 0;  ///< time since the first job began
};

/// How the whole league is run.
struct LeagueSettings {
  RunSettings run;
  unsigned at_once = 1;          ///< how many jobs run at a time
  std::string library;           ///< whatever changes with our library, such as its bytes
  std::filesystem::path folder;  ///< folder for platforms, one sub-folder for each machine
  std::function<void(const LeagueProgress&)> progress;
  /// Called for each result as soon as it is there, one at a time.
  std::function<void(const Result&)> keep;
};

/// Digest of what a contender's result on a machine depends on, besides the event.
[[nodiscard]] std::string stamp_of(const PlacedMachine& placed, const Contender& contender,
                                   const LeagueSettings& settings);

/// Runs every event and contender that has no result of the same stamp in `known`. Returns all
/// results, known ones too, in the order of machines, events and contenders.
///
/// A contender that aborts has failed in that event only: another run measures the sizes after it.
/// If a run was ended from outside, the event that it was in is not kept; after an interrupt no
/// further job runs.
Expected<std::vector<Result>> run_league(const LeagueTask& task, const LeagueSettings& settings,
                                         std::span<const Result> known);

}  // namespace espalier::league
