#pragma once

#include <span>
#include <vector>

#include "cost/cost_view.hpp"

namespace espalier::cost {

/// What the very many messages of one round have to carry, by resource and processor.
class RoundLoads {
 public:
  explicit RoundLoads(const CostView& cost_view);

  void add(Rank from, Rank to, double bytes);
  /// Each member sends bytes[i] to targets[i], but none to itself. O(members + innermost clusters *
  /// targets) where the machine has no links of single pairs; else O(members * targets).
  /// @pre the targets are members
  void add_all(std::span<const Rank> members, std::span<const Rank> targets,
               std::span<const double> bytes);

  /// Each member sends to all members after it, which combine what comes. O(members * innermost
  /// clusters) where the machine has no links of single pairs; else O(members^2).
  void add_scan(std::span<const Rank> members, double bytes);

  /// The longest latency, with what a single flow's limit adds.
  [[nodiscard]] Picos latency() const { return latency_; }
  /// How long the busiest resource or processor is busy.
  [[nodiscard]] Picos busiest() const;
  [[nodiscard]] std::span<const Picos> carried() const { return carried_; }
  [[nodiscard]] bool receives(Rank rank) const { return receives_[rank]; }

 private:
  void cross(Rank from, Rank to, double bytes, double messages, bool own_links, bool others);
  void cross_own_link(Rank from, Rank to, double sent, Rank whose);

  const CostView& cost_view_;
  bool has_pairs_;
  Picos latency_ = 0;
  std::vector<Picos> carried_;  // [resource]
  std::vector<Picos> works_;    // [rank]
  std::vector<bool> receives_;  // [rank]
  sim::Route route_;
};

}  // namespace espalier::cost
