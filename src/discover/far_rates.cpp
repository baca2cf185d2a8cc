#include "discover/far_rates.hpp"

#include <algorithm>

#include "discover/flood.hpp"

namespace espalier::discover {
namespace {

constexpr Bytes kEach{8 << 10};  ///< below every eager limit
constexpr std::uint32_t kMost = 8192;
constexpr std::int64_t kTogetherRoundTrips = 7;
constexpr std::int64_t kAloneRoundTrips = 30;
constexpr int kMostTries = 3;

Experiment flood(const NodePair& pair, Time patience, bool until_steady) {
  return {Kind::Flood, pair.first,     pair.second, kNoNode,     kEach,
          kMost,       /*repeats=*/1U, patience,    until_steady};
}

Round all_of(const std::vector<FarTransfer>& transfers, std::int64_t round_trips) {
  Time longest;
  for (const FarTransfer& t : transfers) longest = std::max(longest, t.round_trip);
  Round round;
  for (const FarTransfer& t : transfers) {
    if (t.pairs.size() < 2) continue;
    for (const NodePair& pair : t.pairs) round.push_back(flood(pair, round_trips * longest, false));
  }
  return round;
}

Round first_of(const std::vector<FarTransfer>& transfers) {
  Round round;
  for (const FarTransfer& t : transfers) {
    if (t.alone) round.push_back(flood(t.pairs.front(), kAloneRoundTrips * t.round_trip, true));
  }
  return round;
}

/// Sums of what all pairs of a transfer got. @return whether one of them was still growing
bool add_up(const std::vector<FarTransfer>& transfers, const Round& round,
            const std::vector<Measured>& measured, std::vector<FarRate>& rates) {
  bool grows = false;
  std::size_t next = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (transfers[i].pairs.size() < 2) continue;
    std::uint64_t total = 0;
    for (std::size_t p = 0; p < transfers[i].pairs.size(); ++p, ++next) {
      const FloodRate seen = rate_among_others(round[next], measured[next].samples);
      total += seen.rate.bits_per_second;
      grows |= seen.grows;
    }
    rates[i].together = Bandwidth{total};
  }
  return grows;
}

void take_alone(const std::vector<FarTransfer>& transfers, const Round& round,
                const std::vector<Measured>& measured, std::vector<FarRate>& rates) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (!transfers[i].alone) continue;
    const Bandwidth rate = rate_alone(round[next], measured[next].samples).rate;
    ++next;
    // Once more is with a window that is open already.
    rates[i].alone = rates[i].alone.unlimited() ? rate : std::max(rates[i].alone, rate);
    if (transfers[i].pairs.size() < 2) rates[i].together = rates[i].alone;
  }
}

/// One flow that gets as much as all of them shows that the link is full.
bool is_full(const std::vector<FarRate>& rates) {
  return std::all_of(rates.begin(), rates.end(), [](const FarRate& r) {
    return r.alone.unlimited() ? r.together.unlimited()
                               : r.alone.bits_per_second >= r.together.bits_per_second / 100 * 85;
  });
}

/// One round of transfers: all pairs, again for longer while that still grows, then the first.
Expected<std::vector<FarRate>> measure_round(Prober& prober,
                                             const std::vector<FarTransfer>& transfers) {
  std::vector<FarRate> rates(transfers.size());
  const Round alone = first_of(transfers);
  std::int64_t patience = kTogetherRoundTrips;
  for (int tries = 1;; ++tries, patience *= 2) {
    const Round together = all_of(transfers, patience);
    std::vector<Round> rounds{together, alone};
    std::erase_if(rounds, [](const Round& round) { return round.empty(); });
    auto measured = prober.run(rounds);
    if (!measured) return measured.error();
    if (!alone.empty()) take_alone(transfers, alone, measured->back(), rates);
    if (together.empty()) return rates;
    const bool grows = add_up(transfers, together, measured->front(), rates);
    if (!grows || is_full(rates) || tries == kMostTries) return rates;
  }
}

}  // namespace

Expected<std::vector<std::vector<FarRate>>> measure_far(
    Prober& prober, std::span<const std::vector<FarTransfer>> rounds) {
  std::vector<std::vector<FarRate>> rates;
  for (const std::vector<FarTransfer>& transfers : rounds) {
    auto seen = measure_round(prober, transfers);
    if (!seen) return seen.error();
    rates.push_back(std::move(*seen));
  }
  return rates;
}

}  // namespace espalier::discover
