#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cost/cost_view.hpp"
#include "topology/machine.hpp"

namespace espalier::cost {

/// What no message of a machine takes less than, by how far its ends lie apart. With it lower
/// bounds of estimates are found without a walk over all ranks (LeastRounds).
///
/// Two leaves that are `distance` apart (counted along the machine) meet in no cluster that has so
/// many leaves or fewer. So they meet on a level whose largest cluster has more, and cross an
/// uplink of one of its members. O(processes + clusters) to make.
class LeastCosts {
 public:
  explicit LeastCosts(const topology::Machine& machine);

  /// The least time from the moment a message is sent until it is received: sending, latency,
  /// bytes at the rate of a flow by itself, receiving.
  /// @param distance leaves between the two ends are at least so many apart; 1: any two ends
  [[nodiscard]] Picos message(Rank distance, double bytes) const;
  /// A message between two members of a cluster of this depth.
  [[nodiscard]] Picos message_on(std::uint32_t level, double bytes) const {
    return send(bytes) + levels_[level].latency + bytes * levels_[level].per_byte + recv(bytes);
  }
  /// The bytes alone of such a message.
  [[nodiscard]] Picos flow_on(std::uint32_t level, double bytes) const {
    return bytes * levels_[level].per_byte;
  }
  /// The least time that bytes take on the way out of a member of a cluster of this depth.
  [[nodiscard]] Picos uplink_on(std::uint32_t level, double bytes) const {
    return bytes * levels_[level].uplink;
  }
  /// The same on the way in.
  [[nodiscard]] Picos downlink_on(std::uint32_t level, double bytes) const {
    return bytes * levels_[level].downlink;
  }
  /// The last level whose clusters hold all ranks.
  [[nodiscard]] std::uint32_t innermost_of_all() const { return innermost_of_all_; }
  /// A part of a message: the bytes alone.
  [[nodiscard]] Picos flow(Rank distance, double bytes) const;
  /// The least time that some link is busy if each rank sends `bytes` to one that is at least
  /// `distance` apart: all ranks of a cluster that is not larger send through its link.
  [[nodiscard]] Picos load(Rank distance, double bytes) const;
  /// The same of each level, added to what it has.
  void add_loads(Rank distance, double bytes, std::vector<Picos>& loads) const;
  /// The same if each rank sends `bytes` to every other one.
  [[nodiscard]] Picos load_of_all(double bytes) const;
  /// Latency of the outermost channel, which some message crosses if each rank reaches all others.
  [[nodiscard]] Picos outermost() const;
  /// Fewest ranks of a part, if the machine is cut at clusters of this depth.
  [[nodiscard]] Rank smallest(std::uint32_t depth) const { return levels_[depth].smallest; }
  /// Most ranks of a cluster of this depth.
  [[nodiscard]] Rank largest(std::uint32_t depth) const { return levels_[depth].largest; }
  /// The least time of a byte on the slowest of the levels that all ranks lie below, out of a
  /// member that does not hold all ranks: whoever goes around all of them leaves it.
  [[nodiscard]] Picos slowest_uplink() const {
    Picos most = 0;
    for (std::uint32_t l = 0; l <= innermost_of_all_; ++l) {
      const bool holds_all =
          l < innermost_of_all_ && levels_[l + 1].largest == levels_.front().largest;
      if (!holds_all) most = std::max(most, levels_[l].uplink);
    }
    return most;
  }
  /// Number of clusters of this depth.
  [[nodiscard]] Rank count(std::uint32_t depth) const { return levels_[depth].count; }
  /// Number of clusters of this depth outside of any one member of the whole machine: at least so
  /// many. 0 where ranks lie outside of them.
  [[nodiscard]] Rank elsewhere(std::uint32_t depth) const { return levels_[depth].elsewhere; }
  [[nodiscard]] Picos send(double bytes) const { return send_ + bytes * send_byte_; }
  [[nodiscard]] Picos recv(double bytes) const { return recv_ + bytes * recv_byte_; }
  [[nodiscard]] Picos combine(double bytes) const { return bytes * combine_byte_; }
  /// The least sum over all pairs of neighbours along the machine, the last and the first too:
  /// latencies alone.
  [[nodiscard]] Picos turn() const { return turn_; }
  /// The same of the clusters of a depth, each as one.
  [[nodiscard]] Picos turn(std::uint32_t depth) const { return levels_[depth].turn; }
  /// The longest latency of a channel.
  [[nodiscard]] Picos longest() const { return longest_; }
  /// A message between two members of the whole machine.
  [[nodiscard]] Picos across(double bytes) const;

 private:
  struct Level {
    Rank largest = 0;   // most leaves of a cluster
    Rank smallest = 0;  // fewest, if no leaf lies outside of all of them; else 1
    Rank count = 0;
    Rank elsewhere = 0;
    Picos turn = 0;  // turn() of the first leaves of all clusters of this depth
    Picos latency = 0;
    Picos per_byte = 0;
    Picos uplink = 0;       // of members: least time of a byte on the way out
    Picos downlink = 0;     // of members: least time of a byte on the way in
    Picos load = 0;         // most of leaves * time a byte takes on the uplink or backbone
    Picos load_of_all = 0;  // the same with pairs of leaves inside and outside
  };
  std::vector<Level> levels_;  // by depth of the clusters
  Picos send_ = 0, send_byte_ = 0, recv_ = 0, recv_byte_ = 0, combine_byte_ = 0;
  Picos turn_ = 0;
  Picos longest_ = 0;
  std::uint32_t innermost_of_all_ = 0;
  bool joins_ = false;  // the whole machine has several members
};

}  // namespace espalier::cost
