#pragma once

#include <string>

#include "base/random.hpp"
#include "topology/machine_spec.hpp"

namespace espalier::topology {

/// Machines of every kind a MachineSpec can describe: uneven in depth and size, with full and half
/// duplex uplinks, backbones, caps, pairs, node costs, names and none, ranks in any order.
struct RandomSpecLimits {
  std::uint32_t depth = 4;         ///< levels at most
  std::int64_t members = 5;        ///< of a cluster, mostly
  std::int64_t many_members = 14;  ///< of one in eight
  std::uint64_t processes = 120;   ///< stops growing about there
};

class RandomSpec {
 public:
  explicit RandomSpec(Random& rng, RandomSpecLimits limits = {}) : rng_(rng), limits_(limits) {}

  MachineSpec make() {
    MachineSpec spec;
    spec.where = "random";
    spec.name = rng_.chance(50) ? "machine" : "";
    spec.whole = cluster(1);
    spec.placement = rng_.chance(70) ? PlacementKind::Block : PlacementKind::Cyclic;
    return spec;
  }

 private:
  Time latency() { return rng_.chance(25) ? Time{0} : Time{rng_.between(1, 50'000'000)}; }
  Bandwidth rate() {
    if (rng_.chance(30)) return kUnlimited;
    return Bandwidth{static_cast<std::uint64_t>(rng_.between(1, 2000)) * 1'000'003};
  }

  Uplink uplink() {
    Uplink uplink;
    if (rng_.chance(15)) return uplink;
    uplink.out = rate();
    uplink.in = rng_.chance(70) ? uplink.out : rate();
    uplink.half_duplex = uplink.out == uplink.in && rng_.chance(40);
    uplink.latency = latency();
    return uplink;
  }

  MemberSpec process() {
    ++processes_;
    MemberSpec spec;
    spec.where = "random";
    if (rng_.chance(30)) {
      spec.costs.send = Cost{latency(), rng_.chance(50) ? kUnlimited : rate()};
      spec.costs.recv = Cost{latency(), kUnlimited};
    }
    if (rng_.chance(20)) spec.costs.reduce = rate();
    if (rng_.chance(50)) {
      spec.costs.speed_millionths = static_cast<std::uint64_t>(rng_.between(1, 9'000'000));
    }
    return spec;
  }

  MemberSpec cluster(std::uint32_t depth) {
    MemberSpec spec;
    spec.where = "random";
    spec.channel.latency = latency();
    if (rng_.chance(40)) spec.channel.backbone = rate();
    if (rng_.chance(40)) spec.channel.flow_cap = rate();
    const std::int64_t most = rng_.chance(12) ? limits_.many_members : limits_.members;
    const std::int64_t count = rng_.between(rng_.chance(20) ? 1 : 2, most);
    const bool leaves_only = depth >= limits_.depth || rng_.chance(40);
    for (std::int64_t m = 0; m < count; ++m) {
      const bool leaf = leaves_only || processes_ > limits_.processes || rng_.chance(25);
      MemberSpec member = leaf ? process() : cluster(depth + 1);
      member.uplink = uplink();
      // Numbers are unique in the cluster; some names stand in several.
      if (rng_.chance(60)) member.name = (leaf ? "n" : "c") + std::to_string(m);
      spec.members.push_back(std::move(member));
    }
    if (rng_.chance(40)) add_pairs(spec);
    return spec;
  }

  void add_pairs(MemberSpec& spec) {
    const auto count = static_cast<std::int64_t>(spec.members.size());
    for (std::int64_t a = 0; a < count; ++a) {
      for (std::int64_t b = a + 1; b < count; ++b) {
        if (!rng_.chance(30)) continue;
        MemberSpec::Pair pair{"random", std::to_string(a), std::to_string(b), latency(), rate()};
        spec.pairs.push_back(std::move(pair));
      }
    }
  }

  Random& rng_;
  RandomSpecLimits limits_;
  std::uint64_t processes_ = 0;
};

}  // namespace espalier::topology
