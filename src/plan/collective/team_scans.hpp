#pragma once

#include <span>
#include <vector>

#include "collective/multilevel.hpp"
#include "cost/rounds.hpp"

namespace espalier::collective {

/// Times of scans within teams: the steps of multilevel_scan.cpp on one level.
class TeamScans {
 public:
  using Teams = std::span<const std::vector<Rank>>;

  TeamScans(const cost::CostView& cost_view, double bytes)
      : cost_view_(cost_view), bytes_(bytes), rounds_(cost_view) {}

  /// Each rank of a team gets what stands before it in the team. All teams at once.
  void up(Teams teams, Shape shape);
  /// What stands before a team goes from its last rank to the others.
  void down(Teams teams, Shape shape);

  [[nodiscard]] cost::Picos clock(Rank rank) const { return rounds_.clock(rank); }
  void set_clock(Rank rank, cost::Picos at) { rounds_.set_clock(rank, at); }
  [[nodiscard]] cost::Picos finish() const { return rounds_.finish(); }

 private:
  template <typename Add>
  void round(Teams teams, bool combines, Add add);
  void direct(Teams teams);
  void chain(Teams teams);
  void shift(Teams teams);
  void doubling(Teams teams);
  void binomial(Teams teams);

  const cost::CostView& cost_view_;
  double bytes_;
  cost::Rounds rounds_;
};

}  // namespace espalier::collective
