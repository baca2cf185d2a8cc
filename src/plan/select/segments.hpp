#pragma once

#include <functional>
#include <optional>

#include "select/plan.hpp"
#include "select/transport.hpp"

namespace espalier::select {

/// Whether two plans are equal but for the length of their segments.
[[nodiscard]] bool are_alike(Plan a, Plan b);

/// The same plan for elements of another size: segments keep their bytes, as far as whole elements
/// allow.
[[nodiscard]] Plan in_elements(Plan plan, Bytes from, Bytes to);

/// The shortest and the longest segment of a plan, in units of the call; 0 if it cuts nothing.
struct SegmentRange {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};
[[nodiscard]] SegmentRange segments_of(const Plan& plan, const schedule::Collective& call);

/// The segment of the outermost level, or of the one tree; 0 if that cuts nothing.
[[nodiscard]] std::uint64_t first_segment(const Plan& plan);

using TimeOfPlan = std::function<std::optional<Time>(const Plan&)>;

/// The plan with segments that suit MPI, for two reasons that no machine file tells:
///   1. Messages above MPI's eager limit wait for a handshake, up to four latencies (UCX over TCP).
///      So segments are cut to 16 KiB if that is predicted to cost next to nothing.
///   2. Every message has a price of its own. So shorter segments are made longer, up to 16 KiB, as
///      long as that costs next to nothing.
///
/// Times are compared with times of the same origin: simulated ones if both are there, else
/// predicted ones. What has neither costs too much.
/// @param simulated, predicted times of a plan for this call, if there are any
/// @pre call.element is one byte
[[nodiscard]] Plan with_usable_segments(const Plan& plan, const schedule::Collective& call,
                                        const Transport& transport, const TimeOfPlan& simulated,
                                        const TimeOfPlan& predicted);

/// The most units of a block that this plan does not cut. Its programs for such calls differ by a
/// factor only. 0: its shape depends on the size, or it divides data among ranks.
[[nodiscard]] std::uint64_t uncut_up_to(const Plan& plan);

}  // namespace espalier::select
