#pragma once

#include "select/choose.hpp"

namespace espalier::runtime {

/// Below both MPIs' eager limits with room for a header.
inline constexpr std::uint64_t kEagerBytes = 16384;

/// The plan with segments as an executor on MPI wants them, in two things that no machine file
/// tells. Messages above MPI's eager limit wait for a handshake, up to four latencies (UCX over
/// TCP): segments are cut to 16 KiB unless the model says that this costs more than the handshakes.
/// And every message has a price of its own: shorter segments are made longer, up to that, as long
/// as it costs next to nothing.
/// @pre call.element is one byte
[[nodiscard]] select::Plan with_usable_segments(const select::Plan& plan,
                                                const select::Chooser& chooser,
                                                const topology::Machine& machine,
                                                const schedule::Collective& call);

/// Up to how many units a block this plan cuts none: its programs for such calls differ by a factor
/// only. 0: its shape depends on the size, or it divides data among ranks.
[[nodiscard]] std::uint64_t uncut_up_to(const select::Plan& plan);

}  // namespace espalier::runtime
