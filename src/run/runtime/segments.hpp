#pragma once

#include "select/choose.hpp"

namespace espalier::runtime {

/// Bytes of a message below both MPIs' eager limits, with room for a header.
inline constexpr std::uint64_t kEagerBytes = 16384;

/// The plan with segments that suit MPI, for two reasons that no machine file tells:
///   1. Messages above MPI's eager limit wait for a handshake, up to four latencies (UCX over TCP).
///      So segments are cut to 16 KiB, unless the model says that this costs more than handshakes.
///   2. Every message has a price of its own. So shorter segments are made longer, up to 16 KiB, as
///      long as that costs next to nothing.
/// @pre call.element is one byte
[[nodiscard]] select::Plan with_usable_segments(const select::Plan& plan,
                                                const select::Chooser& chooser,
                                                const topology::Machine& machine,
                                                const schedule::Collective& call);

/// The most units of a block that this plan does not cut. Its programs for such calls differ by a
/// factor only. 0: its shape depends on the size, or it divides data among ranks.
[[nodiscard]] std::uint64_t uncut_up_to(const select::Plan& plan);

}  // namespace espalier::runtime
