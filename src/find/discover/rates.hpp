#pragma once

#include <span>
#include <vector>

#include "discover/probe_rounds.hpp"

namespace espalier::discover {

/// How fast the bytes of one message go, and what the message takes beside them.
struct RateSeen {
  Bandwidth rate = kUnlimited;  ///< unlimited: too fast to tell
  Time fixed;
};

inline constexpr Bytes kShortTransfer{64 << 10};
inline constexpr Bytes kLongTransfer{512 << 10};

/// The rates of transfers (from, to), those of a round at the same time: two sizes above any eager
/// limit, so that what a rendezvous takes cancels out; a larger one where they differ too little.
Expected<std::vector<std::vector<RateSeen>>> measure_rates(Prober& prober,
                                                           std::span<const PairRound> rounds);

/// The rate of one of several transfers of kLongTransfer at the same time, of which it is known
/// what else the message takes. The better of two tries.
Expected<std::vector<std::vector<Bandwidth>>> measure_together(
    Prober& prober, std::span<const PairRound> rounds,
    std::span<const std::vector<RateSeen>> alone);

}  // namespace espalier::discover
