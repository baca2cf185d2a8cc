#include "cost/least_costs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier::cost {
namespace {

constexpr Picos kNone = std::numeric_limits<Picos>::infinity();

Picos picos(Time time) { return static_cast<Picos>(time.picoseconds); }

}  // namespace

LeastCosts::LeastCosts(const topology::Machine& machine) {
  send_ = send_byte_ = recv_ = recv_byte_ = combine_byte_ = kNone;
  Picos leaf_byte = kNone, leaf_in = kNone;
  const topology::NodeCosts* before = nullptr;
  for (topology::Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    const topology::NodeCosts& costs = machine.leaf_costs(leaf);
    if (&costs == before) continue;  // processes of the same figures share them
    before = &costs;
    send_ = std::min(send_, picos(costs.send.fixed));
    send_byte_ = std::min(send_byte_, per_byte_of(costs.send.rate));
    recv_ = std::min(recv_, picos(costs.recv.fixed));
    recv_byte_ = std::min(recv_byte_, per_byte_of(costs.recv.rate));
    combine_byte_ = std::min(combine_byte_, per_byte_of(costs.reduce));
    leaf_byte = std::min(leaf_byte, per_byte_of(machine.leaf_uplink(leaf).out));
    leaf_in = std::min(leaf_in, per_byte_of(machine.leaf_uplink(leaf).in));
  }
  const auto clusters = machine.clusters();
  joins_ = clusters.front().member_count > 1;
  auto shallowest = static_cast<std::uint32_t>(machine.levels().size());
  Level unknown;
  unknown.smallest = machine.size();
  unknown.latency = unknown.per_byte = kNone;
  levels_.assign(machine.levels().size(), unknown);
  std::vector<Picos> uplink(machine.levels().size(), kNone);  // of members of each level
  std::vector<Picos> downlink(machine.levels().size(), kNone);
  std::vector<Rank> all(levels_.size(), 0), here(levels_.size(), 0), most(levels_.size(), 0);
  for (const topology::Cluster& cluster : clusters) {
    Level& level = levels_[cluster.depth];
    if (cluster.depth == 1) std::fill(here.begin(), here.end(), Rank{0});
    ++all[cluster.depth];
    most[cluster.depth] = std::max(most[cluster.depth], ++here[cluster.depth]);
    Picos latency = picos(cluster.channel.latency);
    longest_ = std::max(longest_, latency);
    for (const topology::PairLink& pair : machine.pairs(cluster)) {
      longest_ = std::max(longest_, picos(pair.latency));
      latency = std::min(latency, picos(pair.latency));
    }
    Picos joins = static_cast<Picos>(cluster.member_count - 1) * latency;
    if (cluster.depth == 0 && cluster.member_count > 1) joins += latency;
    turn_ += joins;
    level.turn += joins;
    level.largest = std::max<Rank>(level.largest, cluster.leaf_count);
    level.smallest = std::min<Rank>(level.smallest, cluster.leaf_count);
    level.latency = std::min(level.latency, latency);
    const Picos backbone = per_byte_of(cluster.channel.backbone);
    const Picos cap = per_byte_of(cluster.channel.flow_cap);
    level.per_byte = std::min(level.per_byte, std::max(backbone, cap));
    const Picos out = cluster.depth == 0 ? 0 : per_byte_of(cluster.uplink.out);
    level.load = std::max(level.load, cluster.leaf_count * std::max(backbone, out));
    const auto inside = static_cast<Picos>(cluster.leaf_count);
    level.load_of_all =
        std::max(level.load_of_all, inside * (machine.size() - inside) * std::max(backbone, out));
    if (cluster.depth > 0) {
      const std::uint32_t above = cluster.depth - 1;
      uplink[above] = std::min(uplink[above], out);
      downlink[above] = std::min(downlink[above], per_byte_of(cluster.uplink.in));
    }
    const auto members = machine.members(cluster);
    const bool has_leaves = std::any_of(members.begin(), members.end(),
                                        [](const topology::Member& m) { return m.is_leaf; });
    if (!has_leaves) continue;
    uplink[cluster.depth] = std::min(uplink[cluster.depth], leaf_byte);
    downlink[cluster.depth] = std::min(downlink[cluster.depth], leaf_in);
    shallowest = std::min(shallowest, cluster.depth);
  }
  innermost_of_all_ = shallowest;
  Picos outside = 0;  // of the levels above
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    level.per_byte = std::max({level.per_byte, leaf_byte, uplink[l]});
    level.uplink = uplink[l];
    level.downlink = downlink[l];
    if (shallowest < l) level.smallest = 1;
    level.elsewhere = shallowest < l ? 0 : all[l] - most[l];
    level.count = all[l];
    std::swap(level.turn, outside);
    outside += level.turn;
  }
  // A message of a level also passes the links of all levels below, as far as all ranks have them.
  Picos below = uplink[shallowest];
  for (std::size_t l = shallowest; l-- > 0;) {
    levels_[l].per_byte = std::max(levels_[l].per_byte, below);
    below = std::max(below, uplink[l]);
  }
}

Picos LeastCosts::message(Rank distance, double bytes) const {
  Picos least = kNone;
  for (const Level& level : levels_) {
    if (level.largest <= distance) break;
    least = std::min(least, level.latency + bytes * level.per_byte);
  }
  if (least == kNone) return 0;  // nobody is so far apart
  return send(bytes) + least + recv(bytes);
}

Picos LeastCosts::flow(Rank distance, double bytes) const {
  Picos least = kNone;
  for (const Level& level : levels_) {
    if (level.largest <= distance) break;
    least = std::min(least, bytes * level.per_byte);
  }
  return least == kNone ? 0 : least;
}

Picos LeastCosts::load(Rank distance, double bytes) const {
  Picos most = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    // The outermost backbone carries all that goes between members of the whole machine.
    const std::size_t crossed = l == 0 ? 1 : l;
    if (crossed < levels_.size() && levels_[crossed].largest > distance) continue;
    most = std::max(most, bytes * levels_[l].load);
  }
  return most;
}

void LeastCosts::add_loads(Rank distance, double bytes, std::vector<Picos>& loads) const {
  loads.resize(levels_.size(), 0);
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const std::size_t crossed = l == 0 ? 1 : l;
    if (crossed < levels_.size() && levels_[crossed].largest > distance) continue;
    loads[l] += bytes * levels_[l].load;
  }
}

Picos LeastCosts::load_of_all(double bytes) const {
  Picos most = 0;
  for (const Level& level : levels_) most = std::max(most, bytes * level.load_of_all);
  return most;
}

Picos LeastCosts::outermost() const {
  if (joins_) return levels_.front().latency;
  Picos least = kNone;
  for (const Level& level : levels_) least = std::min(least, level.latency);
  return least;
}

Picos LeastCosts::across(double bytes) const {
  if (!joins_) return message(1, bytes);
  return send(bytes) + levels_.front().latency + bytes * levels_.front().per_byte + recv(bytes);
}

}  // namespace espalier::cost
