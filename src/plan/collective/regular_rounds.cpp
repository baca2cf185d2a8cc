#include "collective/regular_rounds.hpp"

#include <algorithm>
#include <bit>

#include "collective/flat_estimate.hpp"
#include "cost/flows.hpp"

namespace espalier::collective {

using cost::Picos;
using cost::Sharer;
using LinkKind = sim::Resource::Kind;

RegularRounds::RegularRounds(const FoldedMachine& machine) : machine_(machine) {
  const topology::Machine& whole = machine.whole().machine();
  ranks_.assign(whole.levels().size() + 1, 1);
  topology::ClusterId id = 0;
  for (std::uint32_t depth = 0; depth < whole.levels().size(); ++depth) {
    const topology::Cluster& cluster = whole.clusters()[id];
    ranks_[depth] = cluster.leaf_count;
    id = whole.members(cluster).front().id;
  }
  for (std::uint32_t level = 0; level < whole.levels().size(); ++level) {
    ways_.push_back(way_on(level));
  }
  clocks_.assign(whole.clusters().front().member_count, 0);
}

/// From rank 0 to the first rank of the next member of its cluster.
RegularRounds::Way RegularRounds::way_on(std::uint32_t level) const {
  const topology::Machine& folded = machine_.hierarchy().machine();
  const cost::CostView& cost_view = machine_.cost_view();
  topology::ClusterId id = folded.cluster_of(folded.leaf_of(0));
  while (folded.clusters()[id].depth > level) id = folded.clusters()[id].parent;
  if (folded.clusters()[id].member_count < 2) return {};
  const topology::Member& next = folded.members(folded.clusters()[id])[1];
  const Rank to = next.is_leaf ? folded.rank_at(next.id) : machine_.hierarchy().master(next.id, 0);
  sim::Route route;
  cost_view.find_route(0, to, route);
  Way way{cost_view.latency(route), cost_view.cap_per_byte(route), {}, {}};
  for (const sim::ResourceId r : route.resources()) {
    const sim::Resource& resource = cost_view.resource(r);
    Link link{cost_view.per_byte(r), false, false, 1};
    bool is_own = true;
    switch (resource.kind) {
      case LinkKind::LeafOut:
      case LinkKind::LeafIn:
      case LinkKind::LeafBoth:
        link.both = resource.kind == LinkKind::LeafBoth;
        is_own = resource.id == folded.leaf_of(0);
        break;
      case LinkKind::ClusterOut:
      case LinkKind::ClusterIn:
      case LinkKind::ClusterBoth:
        link.both = resource.kind == LinkKind::ClusterBoth;
        link.ranks = ranks_[folded.clusters()[resource.id].depth];
        is_own = machine_.hierarchy().contains(resource.id, 0);
        break;
      default:
        link.is_backbone = true;
        link.ranks = ranks_[0];
        break;
    }
    (is_own ? way.out : way.in).push_back(link);
  }
  return way;
}

bool RegularRounds::are_bits_aligned() const {
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [](Rank ranks) { return std::has_single_bit(ranks); });
}

Picos RegularRounds::send(double bytes) const { return machine_.cost_view().send(0, bytes); }

Picos RegularRounds::taken(double bytes, bool combines) const {
  const cost::CostView& costs = machine_.cost_view();
  return costs.recv(0, bytes) + (combines ? costs.combine(0, bytes) : 0);
}

const RegularRounds::Way& RegularRounds::way_across(Rank bit) const {
  std::uint32_t level = 0;
  while (ranks_[level + 1] > bit) ++level;
  return ways_[level];
}

void RegularRounds::across_bits(Rank bit, double bytes, bool combines, double times) {
  const Way& way = way_across(bit);
  Picos per_byte = way.cap;
  for (const auto* side : {&way.out, &way.in}) {
    for (const Link& link : *side) per_byte = std::max(per_byte, link.flows() * link.per_byte);
  }
  for (Picos& clock : clocks_) {
    const Picos start = clock + send(bytes);
    is_exact_ = is_exact_ && busy_until_ - way.latency <= start;
    const Picos end = start + way.latency + bytes * per_byte + taken(bytes, combines);
    clock = times == 1 ? end : end + (end - clock) * (times - 1);
  }
}

/// All ranks of a cluster send, or all receive.
void RegularRounds::to_lower_half(Rank bit, double bytes) {
  const Way& way = way_across(bit);
  Picos per_byte = way.cap;
  for (const auto* side : {&way.out, &way.in}) {
    for (const Link& link : *side) {
      per_byte = std::max(per_byte, (link.is_backbone ? bit : link.ranks) * link.per_byte);
    }
  }
  for (Picos& clock : clocks_) {
    const Picos start = clock + send(bytes);
    is_exact_ = is_exact_ && busy_until_ - way.latency <= start;
    clock = start + way.latency + bytes * per_byte + taken(bytes, false);
  }
}

/// Each link carries one flow a round, but for those that carry both directions.
void RegularRounds::ring(std::uint32_t depth, double bytes, bool combines, double part,
                         double slots) {
  const bool is_half = part < 1;
  const double rounds = part * ranks_[depth] - 1;
  if (rounds < 1) return;
  Picos turn = 0, pace = 0, longest = 0, shortest = 0;
  Picos longest_outside = 0, innermost = 0;  // of the levels around the innermost, and of that
  Rank inside = 0;                           // members of the innermost clusters
  double clusters = 1;                       // of the level within the ring
  const auto levels = static_cast<std::uint32_t>(ways_.size());
  for (std::uint32_t level = depth; level < levels; ++level) {
    const Rank members = ranks_[level] / ranks_[level + 1];
    if (members == 1) continue;
    // Half of an even number of members has half of the edges of each level, wherever it begins.
    is_exact_ = is_exact_ && (!is_half || clusters > 1 || members % 2 == 0);
    // The outermost channel also joins the last rank to the first.
    const double edges = clusters == 1 ? members : clusters * (members - 1.0);
    clusters *= members;
    const Way& way = ways_[level];
    Picos per_byte = way.cap;
    for (const auto* side : {&way.out, &way.in}) {
      for (const Link& link : *side) {
        is_exact_ = is_exact_ && !link.both;
        per_byte = std::max(per_byte, link.is_backbone ? edges * link.per_byte : link.per_byte);
      }
    }
    const Picos step = send(bytes) + way.latency + bytes * per_byte + taken(bytes, combines);
    pace = std::max({pace, bytes * per_byte, send(bytes) + taken(bytes, combines)});
    turn += edges * step;
    shortest = longest == 0 ? step : std::min(shortest, step);
    longest_outside = longest;
    longest = std::max(longest, step);
    innermost = step;
    inside = members;
  }
  if (slots > 0 && !machine_.cost_view().is_eager(bytes)) {
    // Behind an edge of any other level comes one of the innermost.
    if (longest_outside > 0) pace = std::max(pace, (longest_outside + innermost) / slots);
    if (longest_outside == 0 || inside > 2) pace = std::max(pace, 2 * innermost / slots);
  }
  const Picos stretch = part * turn - shortest;
  const Picos takes = std::max(stretch, longest + (rounds - 1) * pace);
  const Picos latest = *std::max_element(clocks_.begin(), clocks_.end());
  for (Picos& clock : clocks_) clock = (depth == 0 ? latest : clock) + takes;
}

void RegularRounds::across_clusters(double bytes, bool combines,
                                    const std::function<Rank(Rank, Rank)>& turn) {
  const Rank count = clusters();
  if (count < 2) return;
  const Way& way = ways_.front();
  Picos least = way.cap;
  for (const auto* side : {&way.out, &way.in}) {
    for (const Link& link : *side) least = std::max(least, link.per_byte);
  }
  const auto index = [&](Rank from, Rank to) { return std::size_t{from} * count + to; };
  std::vector<Picos> starts(std::size_t{count} * count, 0), ends(starts.size(), 0);
  for (Rank from = 0; from < count; ++from) {
    for (Rank to = 0; to < count; ++to) {
      if (from == to) continue;
      const Picos start = clocks_[from] + (turn(from, to) + 1.0) * send(bytes);
      is_exact_ = is_exact_ && busy_until_ - way.latency <= start;
      starts[index(from, to)] = start + way.latency;
      ends[index(from, to)] = start + way.latency + bytes * least;
    }
  }
  // All ranks of a cluster send to another one at the same time: a batch.
  std::vector<Sharer> sharers;
  std::vector<std::size_t> batches;
  const auto share = [&](const Link& link, auto crosses) {
    sharers.clear();
    batches.clear();
    for (Rank from = 0; from < count; ++from) {
      for (Rank to = 0; to < count; ++to) {
        if (from == to || !crosses(from, to)) continue;
        batches.push_back(index(from, to));
        sharers.push_back({starts[batches.back()], bytes, 0});
      }
    }
    const double ranks = link.is_backbone ? ranks_[1] : link.ranks;
    if (ranks * static_cast<double>(batches.size()) < 2) return;  // nobody to share with
    cost::share_equally(sharers, ranks * link.per_byte);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      ends[batches[i]] = std::max(ends[batches[i]], sharers[i].end);
    }
  };
  for (Rank here = 0; here < count; ++here) {
    for (const Link& link : way.out) {
      if (link.is_backbone) continue;
      share(link, [&](Rank from, Rank to) { return from == here || (link.both && to == here); });
    }
    for (const Link& link : way.in) {
      if (link.both) continue;  // told above
      share(link, [&](Rank, Rank to) { return to == here; });
    }
  }
  for (const Link& link : way.out) {
    if (link.is_backbone) share(link, [](Rank, Rank) { return true; });
  }
  std::vector<Picos> arrivals;
  for (Rank to = 0; to < count; ++to) {
    arrivals.clear();
    for (Rank from = 0; from < count; ++from) {
      if (from != to) arrivals.push_back(ends[index(from, to)]);
    }
    std::sort(arrivals.begin(), arrivals.end());
    clocks_[to] += (count - 1.0) * send(bytes);
    for (const Picos end : arrivals) {
      busy_until_ = std::max(busy_until_, end);
      clocks_[to] = std::max(clocks_[to], end) + taken(bytes, combines);
    }
  }
  // Rounds counts the work of links in the order of the messages, not of their starts.
  busy_until_ += (count - 1.0) * send(bytes);
}

/// A link of a cluster carries a message for each pair of ranks inside and outside.
void RegularRounds::all_to_all(double bytes, bool combines) {
  const double all = ranks_[0];
  if (all < 2) return;
  Picos latency = 0, cap = 0;
  const Way* outermost = nullptr;
  for (std::size_t level = 0; level < ways_.size(); ++level) {
    if (ranks_[level] == ranks_[level + 1]) continue;
    if (outermost == nullptr) outermost = &ways_[level];
    latency = std::max(latency, ways_[level].latency);
    cap = std::max(cap, bytes * ways_[level].cap);
  }
  Picos busiest = cap;
  for (const auto* side : {&outermost->out, &outermost->in}) {
    for (const Link& link : *side) {
      const double pairs =
          link.is_backbone ? all * (all - ranks_[1]) : link.flows() * (all - link.ranks);
      busiest = std::max(busiest, pairs * bytes * link.per_byte);
    }
  }
  const Picos one = send(bytes) + taken(bytes, combines);
  const Picos receives = one - send(bytes);
  const Picos queue =
      std::max((all - 1) * send(bytes) + receives, send(bytes) + (all - 1) * receives);
  const Picos latest = *std::max_element(clocks_.begin(), clocks_.end());
  const Picos done = latest + std::max({latency + busiest + one, latency + queue, (all - 1) * one});
  for (Picos& clock : clocks_) clock = std::max(clock, done);
}

bool RegularRounds::all_combine(double bytes, bool scans) {
  const Rank size = ranks_[0];
  if (size <= kCombinedByFlowsUpTo) return false;
  const double part = scans ? static_cast<double>(size - 1 - size / 2) / (size - 1.0) : 1;
  all_to_all(bytes * part, true);
  return true;
}

std::optional<Picos> RegularRounds::finish() const {
  if (!is_exact_) return std::nullopt;
  return *std::max_element(clocks_.begin(), clocks_.end());
}

}  // namespace espalier::collective
