#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::league {

/// What is measured: a call on a machine whose ranks lie in some order.
struct Event {
  std::string machine;    ///< as it was asked for: "flat-64"
  std::string placement;  ///< "block" or "cyclic"
  schedule::Operation operation = schedule::Operation::Barrier;
  std::uint64_t bytes = 0;  ///< of the message, or of each block
  friend auto operator<=>(const Event&, const Event&) = default;
};

enum class State : std::uint8_t {
  Right,
  Wrong,    ///< ended with other data than it has to
  Failed,   ///< aborted, or did not say what it took
  TooLong,  ///< simulating it took longer than allowed
};
[[nodiscard]] const char* name_of(State state);

/// One contender's result in one event.
struct Cell {
  Event event;
  std::string contender;  ///< "espalier", "ompi", "bcast:NTSL"
  State state = State::Failed;
  double microseconds = 0;  ///< simulated, a mean over the roots; of Right and Wrong
  std::string plan;         ///< ours only
  /// Of all that the time depends on: machine, roots, and for us the library. Results of other
  /// stamps are not taken for this one's.
  std::string stamp;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// A line of a results file, without its end.
[[nodiscard]] std::string to_line(const Cell& cell);
/// All lines. One that is cut off at the very end is left out: the run was interrupted there.
Expected<std::vector<Cell>> read_lines(const std::string& text, const std::string& file);

/// Buffers of all ranks in one process.
[[nodiscard]] std::uint64_t bytes_of_all_ranks(const Event& event, Rank ranks);

}  // namespace espalier::league
