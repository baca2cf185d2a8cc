#pragma once

#include <cstdint>
#include <vector>

#include "model/cost_model.hpp"

namespace espalier::reproduce {

/// The simulated testbed of banikazemi1998, section 7.2.1: 64 workstations on 16 eight-port
/// switches, irregular, half of the ports between switches (four each), wormhole routing.
///
/// Ours is the latency of an unloaded network: shortest paths instead of a routing table, no
/// contention. A 1 KB message is on the wire for 13 us and its sender busy for 400 and more, so
/// worms seldom meet.
class HnowNetwork {
 public:
  static constexpr Rank kHosts = 64;
  static constexpr Rank kSwitches = 16;

  explicit HnowNetwork(std::uint64_t seed);
  /// Switches on the way between two workstations: 1 if they share one.
  [[nodiscard]] Rank switches_between(Rank from, Rank to) const;

 private:
  std::vector<Rank> hops_;  // number of switches between two switches, [from * kSwitches + to]
};

/// Initiation cost of each node, then the wire: t_inj, at each switch t_route + t_sw, t_phy for
/// each byte, t_cons. Only the initiation keeps the sender.
class HnowModel : public model::CostModel {
 public:
  /// @pre `network` and `initiation` outlive it
  HnowModel(const HnowNetwork& network, const std::vector<Time>& initiation)
      : network_(network), initiation_(initiation) {}

  [[nodiscard]] Rank size() const override { return static_cast<Rank>(initiation_.size()); }
  [[nodiscard]] model::MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "hnow"; }

 private:
  const HnowNetwork& network_;
  const std::vector<Time>& initiation_;
};

}  // namespace espalier::reproduce
