#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "measure/summary.hpp"
#include "schedule/collective.hpp"

namespace espalier::measure {

/// As a root: all ranks in turn; a time is then the mean over them.
inline constexpr Rank kEveryRoot = kNoRank;

/// "gather", or its v form "gatherv".
struct Kind {
  Kind() = default;
  Kind(schedule::Operation of, bool is_irregular = false)  // NOLINT: an operation is its plain kind
      : operation(of), irregular(is_irregular) {}
  schedule::Operation operation = schedule::Operation::Barrier;
  bool irregular = false;
  friend bool operator==(const Kind&, const Kind&) = default;
};
[[nodiscard]] std::string name_of(const Kind& kind);
[[nodiscard]] std::optional<Kind> kind_named(const std::string& name);

/// A call that is measured.
struct MeasuredCall {
  Kind kind;
  Bytes size;
  Rank root = 0;              ///< of all ranks, also where only some take part
  std::vector<Rank> members;  ///< who takes part, the root among them; empty: all

  friend bool operator==(const MeasuredCall&, const MeasuredCall&) = default;
};

/// "broadcast:8:0", "broadcast:8:all", "broadcast:8:3:0+3+5", as bench/mpi/measure takes it.
[[nodiscard]] std::string argument_of(const MeasuredCall& call);

/// How times are taken (bench/mpi/measure/clocks.hpp).
enum class Clocks : std::uint8_t {
  Shared,        ///< one clock for all ranks, as hosts of a lab have it
  Acknowledged,  ///< the root's clock alone: one receiver at a time acknowledges
};
Expected<Clocks> clocks_called(const std::string& name);  ///< "shared" or "ack"
[[nodiscard]] const char* name_of(Clocks clocks);
/// In a sentence, for those who read the times.
[[nodiscard]] const char* description_of(Clocks clocks);
/// Without a common clock only what a root sends to others can be timed.
[[nodiscard]] bool can_measure(Clocks clocks, const Kind& kind);

/// What one stack of software needed for a call.
struct Measured {
  MeasuredCall call;
  std::uint64_t wrong = 0;  ///< results that were not what they have to be, over ranks and repeats
  double first_us = 0;      ///< the first call: connecting, planning
  std::vector<double> times_us;
  Summary summary;
};

/// The lines of bench/mpi/measure among whatever else was printed, in their order. Refuses
/// lines that are cut off, and other calls than those asked for.
Expected<std::vector<Measured>> read_measured(const std::string& text,
                                              const std::vector<MeasuredCall>& asked);

/// Every kind with every size, and those that have a root with every root; a barrier once.
[[nodiscard]] std::vector<MeasuredCall> all_calls(const std::vector<Kind>& kinds,
                                                  const std::vector<Bytes>& sizes,
                                                  const std::vector<Rank>& roots);

}  // namespace espalier::measure
