#pragma once

#include "discover/ring.hpp"

namespace espalier::discover {

/// Bits a second, to calculate with.
[[nodiscard]] inline double bits(Bandwidth b) { return static_cast<double>(b.bits_per_second); }

/// Over links that are long in time: fills in the rates of a single flow (if that is not known) and
/// of all flows together; transfers of one round run at the same time.
///
/// Trains of short messages, timed where they arrive, cross the link once and ask for nothing on
/// the way. While TCP's window still opens a flow comes in bursts, whose pace is that of the link
/// (packet trains: Dovrolis, Ramanathan, Moore 2004); the second flow begins half a round trip
/// later, so that the first bursts do not meet. In the end the windows are open, and the sum of all
/// flows has the pace of a burst. Where it stays below, windows hold the flows back, and the trains
/// are repeated; where it is above, a flow has a cap of its own, and is measured by itself.
/// @return false: messages do not come one behind the other here (where all of them share a link in
///   equal parts, as in some simulators), so trains tell nothing
Expected<bool> measure_far(Prober& prober, TransferRounds& rounds);

}  // namespace espalier::discover
