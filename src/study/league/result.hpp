#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::league {

/// What is measured: one call on one placed machine.
struct LeagueEvent {
  std::string machine;    ///< the name that it was asked for by: "flat-64"
  std::string placement;  ///< "block" or "cyclic"
  schedule::Operation operation = schedule::Operation::Barrier;
  std::uint64_t bytes = 0;  ///< length of the message, or of each block
  friend auto operator<=>(const LeagueEvent&, const LeagueEvent&) = default;
};

enum class ResultState : std::uint8_t {
  Right,
  Wrong,    ///< ended with other data than it has to
  Failed,   ///< aborted, or did not say what it took
  TooLong,  ///< simulating it took longer than allowed
};
[[nodiscard]] const char* name_of(ResultState state);

/// One contender's result in one event.
struct Result {
  LeagueEvent event;
  std::string contender;  ///< "espalier", "ompi", "bcast:NTSL"
  ResultState state = ResultState::Failed;
  double microseconds = 0;  ///< simulated time, mean over the roots; set if Right or Wrong
  std::string plan;         ///< plan that our library chose; empty for others
  /// Digest of all that the time depends on: machine, roots, and for our library its code. A kept
  /// result is used again only if its stamp is still the same.
  std::string stamp;
  friend bool operator==(const Result&, const Result&) = default;
};

/// A line of a results file, without its end.
[[nodiscard]] std::string to_line(const Result& result);
/// Reads all lines. An unfinished last line behind others is left out: the run was interrupted
/// there.
Expected<std::vector<Result>> read_lines(const std::string& text, const std::string& file);
/// Bytes of that unfinished line; 0: there is none. @pre read_lines() took the text
[[nodiscard]] std::size_t piece_at_end(const std::string& text);

/// Length of the buffers of all ranks together: under SMPI all ranks are one process.
[[nodiscard]] std::uint64_t bytes_of_all_ranks(const LeagueEvent& event, Rank ranks);

}  // namespace espalier::league
