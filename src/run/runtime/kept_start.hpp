#pragma once

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

/// The text of a file. @param now in seconds since 1970
[[nodiscard]] std::string to_text(const KeptStart& kept, std::int64_t now);
/// Such a text without what is too old; empty if all of it is, or it is no such text.
[[nodiscard]] std::string still_young(const std::string& text, std::int64_t now);
/// Whether such a text holds more than how long programs ran, which rank 0 alone needs.
[[nodiscard]] bool is_for_all(const std::string& text);
/// How long programs ran, by such a text; nothing if it was not written by to_text().
[[nodiscard]] PastRuns past_runs_in(const std::string& text);
/// Absent if the text was not written by to_text(), or holds a machine of another size.
[[nodiscard]] std::optional<KeptStart> kept_from(const std::string& text, Rank size);

}  // namespace espalier::runtime
