#include "discover/rates.hpp"

#include <algorithm>

namespace espalier::discover {
namespace {

constexpr Bytes kLongestTransfer{8 << 20};

/// On a new connection TCP begins with a small window that opens turn by turn, and what that takes
/// would count as if it were fixed, or as if it were bytes. So the short one comes first, twice and
/// more, and the long one is repeated until that does not make it faster.
Experiment transfer(const NodePair& pair, Bytes bytes) {
  const bool is_short = bytes == kShortTransfer;
  const Time patience = is_short ? milliseconds(100) : milliseconds(60);
  return {Kind::RoundTrip,  pair.first, pair.second, bytes, 1, /*repeats=*/3, patience,
          /*warms_up=*/true};
}

Round transfers(const PairRound& pairs, Bytes bytes) {
  Round round;
  for (const NodePair& pair : pairs) round.push_back(transfer(pair, bytes));
  return round;
}

Bandwidth rate_of_transfer(Bytes bytes, Time time) {
  const double seconds_taken = static_cast<double>(time.picoseconds) / 1e12;
  return Bandwidth{
      static_cast<std::uint64_t>(8.0 * static_cast<double>(bytes.value) / seconds_taken)};
}

RateSeen rate_from(Bytes small, Time small_time, Bytes large, Time large_time) {
  // Less than a twentieth is noise: the rate is then a lower bound at best.
  if (large_time - small_time <= Time{small_time.picoseconds / 20}) return {kUnlimited, small_time};
  const Bandwidth rate = rate_of_transfer({large.value - small.value}, large_time - small_time);
  return {rate, std::max(Time{0}, small_time - transfer_time(small, rate))};
}

/// Whether the bytes took a good part of the time, or would take too long if there were more.
bool tells_enough(const RateSeen& seen, Time small) {
  return 3 * transfer_time(kLongTransfer, seen.rate) >= small ||
         transfer_time(kLongestTransfer, seen.rate) > milliseconds(200);
}

/// Once more, with a larger size, where the first two sizes took nearly the same time.
Expected<bool> measure_longer(Prober& prober, std::span<const PairRound> rounds,
                              const std::vector<std::vector<Time>>& small,
                              std::vector<std::vector<RateSeen>>& seen) {
  std::vector<Round> again;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    again.emplace_back();
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      if (tells_enough(seen[r][i], small[r][i])) continue;
      again.back().push_back(transfer(rounds[r][i], kLongestTransfer));
    }
  }
  std::erase_if(again, [](const Round& round) { return round.empty(); });
  if (again.empty()) return false;
  auto measured = prober.run(again);
  if (!measured) return measured.error();
  std::size_t next = 0;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      if (tells_enough(seen[r][i], small[r][i])) continue;
      const Time time = least((*measured)[next][used++].samples);
      seen[r][i] = rate_from(kShortTransfer, small[r][i], kLongestTransfer, time);
    }
    if (used > 0) ++next;
  }
  return true;
}

}  // namespace

Expected<std::vector<std::vector<RateSeen>>> measure_rates(Prober& prober,
                                                           std::span<const PairRound> rounds) {
  std::vector<Round> both;
  for (const PairRound& round : rounds) {
    both.push_back(transfers(round, kShortTransfer));
    both.push_back(transfers(round, kLongTransfer));
  }
  auto measured = prober.run(both);
  if (!measured) return measured.error();
  std::vector<std::vector<RateSeen>> seen(rounds.size());
  std::vector<std::vector<Time>> small(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      small[r].push_back(least((*measured)[2 * r][i].samples));
      seen[r].push_back(rate_from(kShortTransfer, small[r].back(), kLongTransfer,
                                  least((*measured)[2 * r + 1][i].samples)));
    }
  }
  if (auto done = measure_longer(prober, rounds, small, seen); !done) return done.error();
  return seen;
}

Expected<std::vector<std::vector<Bandwidth>>> measure_together(
    Prober& prober, std::span<const PairRound> rounds,
    std::span<const std::vector<RateSeen>> alone) {
  std::vector<Round> all;
  for (const PairRound& round : rounds) {
    all.push_back(transfers(round, kLongTransfer));
    // Those of a round begin together, once: who went on alone would see the whole link.
    for (Experiment& e : all.back()) {
      e.repeats = 1;
      e.warms_up = false;
    }
  }
  auto first = prober.run(all);
  if (!first) return first.error();
  // Again, since the first time opened the windows of new connections.
  auto measured = prober.run(all);
  if (!measured) return measured.error();
  std::vector<std::vector<Bandwidth>> rates(rounds.size());
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      const Time time = std::min((*first)[r][i].samples.front(), (*measured)[r][i].samples.front());
      // Less than a twentieth is noise, here too: a time of nothing would be a rate beyond all.
      const Time least_time{std::max<std::int64_t>(1, time.picoseconds / 20)};
      rates[r].push_back(
          rate_of_transfer(kLongTransfer, std::max(least_time, time - alone[r][i].fixed)));
    }
  }
  return rates;
}

namespace {

void add_ring(FoundCluster& cluster, std::span<const NodeCost> costs, std::size_t width,
              TransferRounds& rounds) {
  std::vector<std::vector<Node>> nodes;
  for (const FoundCluster& m : cluster.members) nodes.push_back(cheapest_first(m, costs));
  const std::size_t k = nodes.size();
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t j = (i + 1) % k;
    MemberTransfer transfer{&cluster, i, j, {}, {}};
    const std::size_t count = std::min({width, nodes[i].size(), nodes[j].size()});
    for (std::size_t n = 0; n < count; ++n) {
      transfer.flows.emplace_back(nodes[i][n], nodes[j][n]);
    }
    rounds[k % 2 == 1 && i + 1 == k ? 2 : i % 2].push_back(std::move(transfer));
  }
}

}  // namespace

std::vector<Node> cheapest_first(const FoundCluster& member, std::span<const NodeCost> costs) {
  std::vector<Node> nodes = member.nodes;
  std::stable_sort(nodes.begin(), nodes.end(), [&](Node a, Node b) {
    return costs[a].send + costs[a].recv < costs[b].send + costs[b].recv;
  });
  return nodes;
}

TransferRounds ring(const std::vector<FoundCluster*>& level, std::span<const NodeCost> costs,
                    std::size_t width) {
  TransferRounds rounds(3);
  for (FoundCluster* cluster : level) add_ring(*cluster, costs, width, rounds);
  std::erase_if(rounds, [](const auto& round) { return round.empty(); });
  return rounds;
}

}  // namespace espalier::discover
