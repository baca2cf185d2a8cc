#include "cost/rounds.hpp"

#include <algorithm>

namespace espalier::cost {

Rounds::Rounds(const CostView& cost_view)
    : cost_view_(cost_view),
      sharing_(cost_view),
      crossings_(cost_view.resources(), 0.0),
      routes_(cost_view),
      clocks_(cost_view.size(), 0),
      received_in_(cost_view.size(), 0),
      free_(cost_view.resources(), 0),
      carried_(cost_view.resources(), 0) {}

void Rounds::exchange(std::span<const RoundMessage> messages, bool combines, bool keeps) {
  flows_.clear();
  routes_.clear();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const RoundMessage& m = messages[i];
    clocks_[m.from] += cost_view_.send(m.from, m.bytes);
    routes_.add(m.from, m.to);
    Picos start = clocks_[m.from];
    for (const sim::ResourceId r : routes_.resources(i)) {
      start = std::max(start, free_[r] - routes_[i].latency);
    }
    flows_.push_back({m.from, m.to, m.bytes, start});
  }
  sharing_.settle(flows_, routes_, 0);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    const Flow& flow = flows_[i];
    for (const sim::ResourceId r : routes_.resources(i)) {
      const Picos takes = flow.bytes * cost_view_.per_byte(r);
      free_[r] = std::max(free_[r], flow.start + flow.latency) + takes;
      carried_[r] += takes;
    }
  }
  std::vector<std::size_t> order(flows_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (has_several_for_a_rank()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return flows_[a].end < flows_[b].end; });
  }
  for (const std::size_t i : order) {
    const Flow& flow = flows_[i];
    clocks_[flow.to] = std::max(clocks_[flow.to], flow.end) + cost_view_.recv(flow.to, flow.bytes);
    if (combines) clocks_[flow.to] += cost_view_.combine(flow.to, flow.bytes);
  }
  if (!keeps) return;
  for (const Flow& flow : flows_) {
    if (!cost_view_.is_eager(flow.bytes))
      clocks_[flow.from] = std::max(clocks_[flow.from], flow.end);
  }
}

void Rounds::repeat(std::span<const Rank> members, double times, Picos step) {
  std::vector<sim::ResourceId> used;
  constexpr Picos kUnused = -1;
  std::vector<Picos> load(free_.size(), kUnused);
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    for (const sim::ResourceId r : routes_.resources(i)) {
      if (load[r] == kUnused) {
        used.push_back(r);
        load[r] = 0;
      }
      load[r] += flows_[i].bytes * cost_view_.per_byte(r);
    }
  }
  for (const sim::ResourceId r : used) step = std::max(step, load[r]);
  for (const sim::ResourceId r : used) {
    free_[r] += times * step;
    carried_[r] += times * load[r];
  }
  for (const Rank r : members) clocks_[r] += times * step;
}

/// Whether the order in which messages arrive matters.
bool Rounds::has_several_for_a_rank() {
  ++exchanges_;
  for (const Flow& flow : flows_) {
    if (received_in_[flow.to] == exchanges_) return true;
    received_in_[flow.to] = exchanges_;
  }
  return false;
}

/// What went round the ring has taken `rounds` edges one after the other: the longest such stretch
/// decides, or the slowest edge, which all blocks cross one after the other.
void Rounds::ring(std::span<const Rank> members, double rounds, double bytes, bool combines,
                  double slots, double mean) {
  const std::size_t n = members.size();
  if (mean == 0) mean = bytes;
  if (n < 2 || rounds <= 0) return;
  flows_.clear();
  routes_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    flows_.push_back({members[i], members[(i + 1) % n], bytes, 0});
    routes_.add(members[i], members[(i + 1) % n]);
  }
  sharing_.find_rates(flows_, routes_);
  std::vector<Picos> step(n);
  Picos pace = 0, latest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Flow& flow = flows_[i];
    Picos taken = cost_view_.recv(flow.to, bytes);
    if (combines) taken += cost_view_.combine(flow.to, bytes);
    step[i] = cost_view_.send(flow.from, bytes) + flow.latency + bytes * flow.per_byte + taken;
    const Picos work = cost_view_.send(flow.to, bytes) + taken;
    pace = std::max({pace, mean * flow.per_byte, work});
    latest = std::max(latest, clocks_[members[i]]);
  }
  // A slot is free again when what came into it has been passed on.
  for (std::size_t i = 0; slots > 0 && !cost_view_.is_eager(bytes) && i < n; ++i) {
    pace = std::max(pace, (step[i] + step[(i + 1) % n]) / slots);
  }
  // The longest stretch of `rounds` edges; more than once around counts whole turns.
  const auto whole = static_cast<std::uint64_t>(rounds);
  const std::size_t width = whole % n;
  Picos turn = 0, window = 0, longest = 0;
  for (const Picos s : step) turn += s;
  for (std::size_t i = 0; i < width; ++i) window += step[i];
  longest = window;
  for (std::size_t i = 0; i < n; ++i) {
    window += step[(i + width) % n] - step[i];
    longest = std::max(longest, window);
  }
  const auto turns = whole / n;
  longest += turn * static_cast<double>(turns);
  const Picos first = *std::max_element(step.begin(), step.end());
  const Picos done = latest + std::max(longest, first + (rounds - 1) * pace);
  // Others' messages come after what the ring has to carry, also if they set out before.
  for (std::size_t i = 0; i < n; ++i) {
    for (const sim::ResourceId r : routes_.resources(i)) {
      free_[r] = std::max(free_[r], clocks_[members[i]]) + rounds * mean * cost_view_.per_byte(r);
    }
  }
  for (const Rank r : members) clocks_[r] = done;
}

/// Each message by itself.
Rounds::Reach Rounds::count_pairs(std::span<const Rank> members, double bytes) {
  Reach reach;
  for (const Rank from : members) {
    for (const Rank to : members) {
      if (from == to) continue;
      cost_view_.find_route(from, to, route_);
      for (const sim::ResourceId id : route_.resources()) crossings_[id] += 1;
      reach.latency = std::max(reach.latency, cost_view_.latency(route_));
      reach.capped = std::max(reach.capped, bytes * cost_view_.cap_per_byte(route_));
    }
  }
  return reach;
}

/// Ranks of one innermost cluster cross the same resources, but for their own links.
Rounds::Reach Rounds::count_clusters(std::span<const Rank> members, double bytes) {
  const topology::Machine& machine = cost_view_.machine();
  std::vector<std::vector<Rank>> parts;
  std::vector<std::size_t> part_of(machine.clusters().size(), machine.clusters().size());
  for (const Rank rank : members) {
    const topology::ClusterId id = machine.cluster_of(machine.leaf_of(rank));
    if (part_of[id] == machine.clusters().size()) {
      part_of[id] = parts.size();
      parts.emplace_back();
    }
    parts[part_of[id]].push_back(rank);
  }
  Reach reach;
  const auto is_own = [&](sim::ResourceId id) {
    using Kind = sim::Resource::Kind;
    const Kind kind = cost_view_.resource(id).kind;
    return kind == Kind::LeafOut || kind == Kind::LeafIn || kind == Kind::LeafBoth;
  };
  const auto note = [&](Rank from, Rank to) {
    cost_view_.find_route(from, to, route_);
    reach.latency = std::max(reach.latency, cost_view_.latency(route_));
    reach.capped = std::max(reach.capped, bytes * cost_view_.cap_per_byte(route_));
  };
  const auto others = static_cast<double>(members.size() - 1);
  for (std::size_t i = 0; i < members.size(); ++i) {  // own links, out and in
    note(members[i], members[(i + 1) % members.size()]);
    for (const sim::ResourceId id : route_.resources()) {
      if (is_own(id)) crossings_[id] += others;
    }
  }
  for (const std::vector<Rank>& from : parts) {
    for (const std::vector<Rank>& to : parts) {
      if (&from == &to && from.size() < 2) continue;
      note(from.front(), to.back());
      const std::size_t pairs =
          &from == &to ? from.size() * (from.size() - 1) : from.size() * to.size();
      for (const sim::ResourceId id : route_.resources()) {
        if (!is_own(id)) crossings_[id] += static_cast<double>(pairs);
      }
    }
  }
  return reach;
}

void Rounds::all_to_all(std::span<const Rank> members, double bytes, bool combines) {
  constexpr std::size_t kPairsUpTo = 64;
  const auto n = static_cast<double>(members.size());
  if (members.size() < 2) return;
  // Loads, not messages: the busiest thing on the way decides.
  std::fill(crossings_.begin(), crossings_.end(), 0.0);
  Picos latest = 0, processor = 0, one = 0, sends = 0, receives = 0;
  for (const Rank rank : members) {
    const Picos here = cost_view_.send(rank, bytes) + cost_view_.recv(rank, bytes) +
                       (combines ? cost_view_.combine(rank, bytes) : 0);
    latest = std::max(latest, clocks_[rank]);
    processor = std::max(processor, (n - 1) * here);
    one = std::max(one, here);
    sends = std::max(sends, cost_view_.send(rank, bytes));
    receives = std::max(receives, here - cost_view_.send(rank, bytes));
  }
  const auto clusters = cost_view_.machine().clusters();
  const bool has_pairs =
      std::any_of(clusters.begin(), clusters.end(), [&](const topology::Cluster& cluster) {
        return !cost_view_.machine().pairs(cluster).empty();
      });
  const bool by_pairs = members.size() <= kPairsUpTo || has_pairs;
  const Reach reach = by_pairs ? count_pairs(members, bytes) : count_clusters(members, bytes);
  Picos busiest = reach.capped;
  for (sim::ResourceId r = 0; r < cost_view_.resources(); ++r) {
    if (crossings_[r] == 0) continue;
    const Picos takes = crossings_[r] * bytes * cost_view_.per_byte(r);
    busiest = std::max(busiest, takes);
    carried_[r] += takes;
  }
  // The last message that is sent, or the last one that is taken, comes after all others.
  const Picos queue = std::max((n - 1) * sends + receives, sends + (n - 1) * receives);
  const Picos done =
      latest + std::max({reach.latency + busiest + one, reach.latency + queue, processor});
  for (const Rank r : members) clocks_[r] = std::max(clocks_[r], done);
}

void Rounds::exchange_by_loads(const RoundLoads& loads) {
  const Picos done = finish() + loads.latency() + loads.busiest();
  for (std::size_t r = 0; r < carried_.size(); ++r) carried_[r] += loads.carried()[r];
  for (Rank r = 0; r < cost_view_.size(); ++r) {
    if (loads.receives(r)) clocks_[r] = std::max(clocks_[r], done);
  }
}

void Rounds::join() {
  const Picos all = finish();
  for (Picos& clock : clocks_) clock = all;
}

Picos Rounds::busiest_beside(std::span<const Rounds> others) const {
  Picos most = 0;
  for (std::size_t r = 0; r < carried_.size(); ++r) {
    Picos here = carried_[r];
    for (const Rounds& other : others) here += other.carried_[r];
    most = std::max(most, here);
  }
  return most;
}

Picos Rounds::finish() const { return *std::max_element(clocks_.begin(), clocks_.end()); }

}  // namespace espalier::cost
