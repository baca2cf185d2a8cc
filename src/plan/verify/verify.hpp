#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/schedule.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

struct Limits {
  std::size_t findings = 16;                       ///< most findings kept; others are counted
  std::uint64_t slices = std::uint64_t{1} << 26U;  ///< most slices of all ops and messages
};

/// Proves that a schedule does what its call asks for, in every order of execution that its
/// programs allow and under any buffering of messages, or says what is wrong. See
/// docs/verification.md for what is proven, and how.
///
/// Symbolic: works on stretches of units, so the cost does not depend on `count`. Time and memory
/// grow with ops, dependencies, messages and slices (times a logarithm), and for reductions whose
/// partial results are no runs of ranks with P / 64 words for each. Never throws on a bad schedule.
///
/// The verdict names the stages that ran, and for each finding the stage that found it.
///
/// A schedule of an unknown call gets the progress-only verdict below.
[[nodiscard]] Verdict verify(const schedule::Schedule& schedule, const Limits& limits = {});

/// Runs only the stages that need no knowledge of the call's data: structure, matching, and
/// progress under any buffering. Skips races, data and results, so Verdict::data_checked is false.
[[nodiscard]] Verdict verify_progress(const schedule::Schedule& schedule,
                                      const Limits& limits = {});

/// Runs the structure stage only, and, for v forms, refuses more than `most_blocks` blocks in
/// scratch and in all ops together: simulate() follows the length of each. Those whose verdict is
/// ok() can be simulated whatever else is wrong with them.
[[nodiscard]] Verdict verify_structure(const schedule::Schedule& schedule,
                                       std::uint64_t most_blocks = std::uint64_t{1} << 27U);

}  // namespace espalier::verify
