#include "topology/scale_level.hpp"

#include <algorithm>

namespace espalier::topology {
namespace {

Time times(Time time, std::uint32_t thousandths) {
  const double scaled = static_cast<double>(time.picoseconds) / 1000 * thousandths;
  return Time{static_cast<std::int64_t>(scaled)};
}

Bandwidth times(Bandwidth rate, std::uint32_t thousandths) {
  if (rate.unlimited()) return rate;
  const double scaled = static_cast<double>(rate.bits_per_second) / 1000 * thousandths;
  return Bandwidth{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled))};
}

}  // namespace

Machine scale_level(Machine machine, const LevelScale& scale) {
  const auto carry = [&](Uplink& uplink) {
    uplink.out = times(uplink.out, scale.bandwidth);
    uplink.in = times(uplink.in, scale.bandwidth);
  };
  for (Cluster& cluster : machine.clusters_) {
    if (cluster.depth == scale.level + 1) carry(cluster.uplink);
    if (cluster.depth != scale.level) continue;
    cluster.channel.latency = times(cluster.channel.latency, scale.latency);
    cluster.channel.backbone = times(cluster.channel.backbone, scale.bandwidth);
    cluster.channel.flow_cap = times(cluster.channel.flow_cap, scale.bandwidth);
    for (std::uint32_t p = 0; p < cluster.pair_count; ++p) {
      PairLink& pair = machine.pairs_[cluster.first_pair + p];
      pair.latency = times(pair.latency, scale.latency);
      pair.capacity = times(pair.capacity, scale.bandwidth);
    }
  }
  // Leaves that are members of such a cluster themselves: profiles are shared, so theirs are new.
  std::vector<std::uint32_t> scaled(machine.profiles_.size(), 0);
  for (Machine::LeafRecord& leaf : machine.leaves_) {
    if (machine.clusters_[leaf.cluster].depth != scale.level) continue;
    if (scaled[leaf.profile] == 0) {
      Machine::Profile profile = machine.profiles_[leaf.profile];
      carry(profile.uplink);
      scaled[leaf.profile] = static_cast<std::uint32_t>(machine.profiles_.size());
      machine.profiles_.push_back(profile);
    }
    leaf.profile = scaled[leaf.profile];
  }
  return machine;
}

}  // namespace espalier::topology
