#include <algorithm>

#include "collective/multilevel_time.hpp"
#include "collective/partition.hpp"
#include "cost/rounds.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using cost::Rounds;

namespace {

/// With more messages a round is told by what links and processors have to carry.
constexpr std::size_t kFlowsUpTo = 1U << 13U;

/// To which of its ranks the ranks of a cluster bring their blocks for other clusters.
struct Gathering {
  std::vector<Rank> carriers;
  std::vector<double> bytes;  // from each rank to each carrier
};

void gather_to_carriers(Rounds& rounds, const CostView& cost_view, const Partition& clusters,
                        const std::vector<Gathering>& gather) {
  std::size_t count = 0;
  for (Rank c = 0; c < clusters.count(); ++c) {
    count += (clusters.size_of(c) - 1) * gather[c].carriers.size();
  }
  if (count > kFlowsUpTo) {
    cost::RoundLoads loads(cost_view);
    for (Rank c = 0; c < clusters.count(); ++c) {
      loads.add_all(clusters.parts[c], gather[c].carriers, gather[c].bytes);
    }
    return rounds.exchange_by_loads(loads);
  }
  std::vector<Rounds::RoundMessage> messages;
  for (Rank c = 0; c < clusters.count(); ++c) {
    for (const Rank from : clusters.parts[c]) {
      for (std::size_t i = 0; i < gather[c].carriers.size(); ++i) {
        const Rank to = gather[c].carriers[i];
        if (from != to) messages.push_back({from, to, gather[c].bytes[i]});
      }
    }
  }
  rounds.exchange(messages);
}

}  // namespace

/// The three steps of aggregated_alltoall.cpp (to the carriers, across, to the targets),
/// and beside them what stays within each cluster.
Picos aggregated_alltoall_time(const Carriers& carriers, const CostView& cost_view,
                               const Hierarchy& hierarchy, const schedule::Collective& call) {
  const Partition clusters = outermost_clusters(hierarchy.machine());
  const double block = static_cast<double>(call.count * call.element.value);
  const auto carrier = [&](Rank cluster, Rank other, Rank stripe) {
    const std::uint64_t turn = other < cluster ? other : other - 1;
    const std::uint64_t leaders = std::min(carriers.leaders, clusters.size_of(cluster));
    return clusters.parts[cluster][(turn * carriers.stripes + stripe) % leaders];
  };
  const auto stripes_to = [&](Rank cluster) {
    return std::min(carriers.stripes, clusters.size_of(cluster));
  };
  std::vector<Gathering> gather;  // one for each cluster
  std::vector<Rounds::RoundMessage> across, scatter;
  std::vector<double> to_carrier(call.size, 0);
  for (Rank c = 0; c < clusters.count(); ++c) {
    const auto& ranks = clusters.parts[c];
    std::fill(to_carrier.begin(), to_carrier.end(), 0);
    for (Rank step = 1; step < clusters.count(); ++step) {
      const Rank other = (c + step) % clusters.count();
      for (Rank s = 0; s < stripes_to(other); ++s) {
        const double targets = static_cast<double>(clusters.size_of(other)) / stripes_to(other);
        const Rank here = carrier(c, other, s);
        to_carrier[here] += targets * block;
        across.push_back(
            {here, carrier(other, c, s), targets * block * static_cast<double>(ranks.size())});
      }
      // What comes from there goes to a stripe of our ranks each.
      for (Rank s = 0; s < stripes_to(c); ++s) {
        const Rank here = carrier(c, other, s);
        const std::size_t first = s * ranks.size() / stripes_to(c);
        const std::size_t end = (s + 1) * ranks.size() / stripes_to(c);
        for (std::size_t p = first; p < end; ++p) {
          if (ranks[p] != here) {
            scatter.push_back({here, ranks[p], block * clusters.size_of(other)});
          }
        }
      }
    }
    Gathering& here = gather.emplace_back();
    for (const Rank to : ranks) {
      if (to_carrier[to] == 0) continue;
      here.carriers.push_back(to);
      here.bytes.push_back(to_carrier[to]);
    }
  }
  Rounds rounds(cost_view);
  std::vector<Rounds> inside;
  Picos within = 0;
  for (const auto& ranks : clusters.parts) {
    inside.emplace_back(cost_view).all_to_all(ranks, block);
    within = std::max(within, inside.back().finish());
  }
  gather_to_carriers(rounds, cost_view, clusters, gather);
  for (const auto* messages : {&across, &scatter}) {
    if (messages->size() <= kFlowsUpTo) {
      rounds.exchange(*messages);
      continue;
    }
    cost::RoundLoads loads(cost_view);
    for (const auto& m : *messages) loads.add(m.from, m.to, m.bytes);
    rounds.exchange_by_loads(loads);
  }
  return std::max({rounds.finish(), within, rounds.busiest_beside(inside)});
}

}  // namespace espalier::collective
