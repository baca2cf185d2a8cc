#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "discover/found.hpp"
#include "discover/probe_rounds.hpp"

namespace espalier::discover {

/// The rate of a message's bytes, and `fixed`, the time that the message takes besides.
struct RateSeen {
  Bandwidth rate = kUnlimited;  ///< unlimited: too fast to tell
  Time fixed;
};

inline constexpr Bytes kShortTransfer{64 << 10};
inline constexpr Bytes kLongTransfer{512 << 10};

/// Measures the rate of each transfer (from, to); transfers of a round run at the same time.
/// Compares two sizes above any eager limit, so that the time of a rendezvous cancels out. If their
/// times differ too little, a larger size is tried.
Expected<std::vector<std::vector<RateSeen>>> measure_rates(Prober& prober,
                                                           std::span<const PairRound> rounds);

/// Measures the rate of each transfer while all transfers of its round run at the same time, with
/// messages of kLongTransfer. The better of two tries.
/// @param alone what each transfer took by itself: its `fixed` time is subtracted
Expected<std::vector<std::vector<Bandwidth>>> measure_together(
    Prober& prober, std::span<const PairRound> rounds,
    std::span<const std::vector<RateSeen>> alone);

/// Some nodes of one member of a cluster send to as many nodes of another member, each to one.
struct MemberTransfer {
  FoundCluster* cluster = nullptr;
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<NodePair> flows;
  RateSeen seen;                    ///< rate of a single flow
  Bandwidth together = kUnlimited;  ///< far links only: sum of all flows at once
  /// Far links only: trains ended while they still told more, so the rates are lower bounds.
  bool cut_short = false;
};
using TransferRounds = std::vector<std::vector<MemberTransfer>>;

/// The nodes of a member, ordered by what messages cost them, the cheapest first; ties go to the
/// lower node.
[[nodiscard]] std::vector<Node> cheapest_first(const FoundCluster& member,
                                               std::span<const NodeCost> costs);

/// Each member of each cluster sends to the next one, round the ring, with up to `width` nodes.
///
/// Takes two or three rounds, so that no member sends and receives at the same time, not even at
/// different nodes: the handshake of one transfer would queue behind the bytes of the other (64
/// instead of 94 Mbit/s over 10 ms).
[[nodiscard]] TransferRounds ring(const std::vector<FoundCluster*>& level,
                                  std::span<const NodeCost> costs, std::size_t width);

/// The rate of the fastest `count` consecutive messages; each has `each` bytes.
/// @pre arrivals are sorted, and more than `count`
[[nodiscard]] Bandwidth fastest(std::span<const Time> arrivals, std::size_t count, Bytes each);

/// The rate within bursts: of all runs of 8 consecutive messages, this many tenths are faster.
/// @pre arrivals are sorted, and more than 8
[[nodiscard]] Bandwidth burst_pace(std::span<const Time> arrivals, Bytes each,
                                   std::size_t tenths = 1);

/// Arrivals of several flows on one clock, sorted. Flow i began its train `delay` after flow i - 1.
/// Receivers of one round stand at one site, where clocks agree. If a clock is off by more than
/// half a second, its flow is shifted to begin when it should have begun.
[[nodiscard]] std::vector<Time> merged(std::span<const std::vector<Time>> flows, Time delay);

/// Bits a second as a floating-point number.
[[nodiscard]] inline double bits(Bandwidth b) { return static_cast<double>(b.bits_per_second); }

/// Measures transfers over links of long latency: fills in the rate of a single flow (unless it is
/// known) and of all flows together. Transfers of one round run at the same time.
///
/// Trains of short messages, timed where they arrive, cross the link once and ask for nothing on
/// the way. While TCP's window still opens a flow comes in bursts, whose pace is that of the link
/// (packet trains: Dovrolis, Ramanathan, Moore 2004); the second flow begins half a round trip
/// later, so that the first bursts do not meet. In the end the windows are open, and the sum of all
/// flows has the pace of a burst. Where it stays below, windows hold the flows back, and the trains
/// are repeated; where it is above, a flow has a cap of its own, and is measured by itself.
/// Where time is over before that, the transfer is `cut_short`: its rates are the most that was
/// seen, and never 0.
/// @return false: messages do not come one behind the other here (where all of them share a link in
///   equal parts, as in some simulators), so trains tell nothing
Expected<bool> measure_far(Prober& prober, TransferRounds& rounds, Time until);

/// Measures bandwidths: fills in `out`, `in` and `flow_cap` of every cluster and node found.
///
/// From the inside out. In each cluster every member sends once and receives once, at the same time
/// only where no uplink is shared. Then several nodes of one member send together: if they get no
/// more than one of them alone, that is the capacity of the uplink; if they do, one flow has a cap
/// of its own (as far as it is not the nodes' own links), and together they show what the uplink
/// carries at least. A node that is slow both ways round is told from its partner by a third one.
/// Two members that get less from each other than both get from others, both ways, are a pair with
/// a capacity of its own.
///
/// Stops at the deadline; what is not measured stays unlimited, and what was cut short is a lower
/// bound (`at_least`).
/// @param all_pairs whether every two of up to 8 members are tried, and not neighbours on the ring
///   alone
/// @return whether all was measured; pairs beyond the ring do not count, unless the way there was
///   narrow and there was no time for the way back
Expected<bool> calibrate(Prober& prober, FoundCluster& whole, std::span<const NodeCost> costs,
                         Time until, bool all_pairs = false);

}  // namespace espalier::discover
