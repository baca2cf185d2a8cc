#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/past_runs.hpp"
#include "runtime/verdicts.hpp"
#include "topology/machine.hpp"

namespace espalier::runtime {

/// What an earlier run on the same nodes found out: the machine, if nothing of it was assumed,
/// decisions of trials, and how long programs ran.
struct KeptStart {
  std::optional<topology::Machine> machine = {};
  std::vector<std::string> words = {};  ///< sentences about what discovery found
  Verdicts verdicts = {};
  PastRuns runs = {};
  /// When the machine was measured and the first of the decisions made, in seconds since 1970: they
  /// grow old, however often they are kept.
  std::int64_t measured = 0, decided = 0;
};

/// How long a measurement, a decision and a file are believed.
inline constexpr std::int64_t kMostSecondsKept = 7 * 24 * 3600;

/// Longest text that is written and read: rank 0 reads it while all others wait.
inline constexpr std::size_t kLongestKept = std::size_t{1} << 20U;

/// The text of a file, at most kLongestKept long: without decisions, if they are too many, and then
/// without the machine. @param now in seconds since 1970
[[nodiscard]] std::string to_text(const KeptStart& kept, std::int64_t now);

/// What such a text holds that is not too old.
struct YoungStart {
  /// Machine and decisions, for kept_from(); empty if there is neither.
  std::string for_all;
  /// How long programs ran, which rank 0 alone needs.
  PastRuns runs;
};
/// Nothing if the text was not written by to_text(). Reads it once.
[[nodiscard]] YoungStart still_young(std::string text, std::int64_t now);
/// Absent if the text was not written by to_text(), or holds a machine of another size.
[[nodiscard]] std::optional<KeptStart> kept_from(const std::string& text, Rank size);

}  // namespace espalier::runtime
