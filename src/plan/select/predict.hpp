#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collective/folded_machine.hpp"
#include "cost/cost_view.hpp"
#include "select/plan.hpp"

namespace espalier::select {

using cost::CostScale;
using cost::CostView;

/// The time of a plan by its algorithm's estimate, without simulating it: closed forms level by
/// level for trees, round by round for the classical algorithms, on the same machine and by the
/// same rules as the simulator (links shared fairly). Deterministic on every rank and CPU. Plans
/// without an estimate are simulated.
///
/// O(ranks) for trees, O(ranks log ranks) for algorithms in log ranks rounds; of direct exchanges
/// O(ranks^2).
/// @pre cost_view is of the hierarchy's machine; the plan serves the call
[[nodiscard]] Time predict(const Plan& plan, const CostView& cost_view,
                           const collective::Hierarchy& hierarchy,
                           const schedule::Collective& call);

/// Predicted times of plans of one call, each worked out once.
class PredictedTimes {
 public:
  /// @param predict the predicted time of a plan that is not known; what is absent is not kept
  [[nodiscard]] std::optional<Time> of(const Plan& plan, const collective::Hierarchy& hierarchy,
                                       const schedule::Collective& call,
                                       const std::function<std::optional<Time>()>& predict);

 private:
  schedule::Collective call_;
  std::vector<std::pair<Plan, Time>> known_;  // by canonical parameters
};

/// With more ranks, plans over levels are predicted by the machine's different parts, if these have
/// at most one in kFewParts of its ranks.
inline constexpr Rank kRankByRankUpTo = 64;
inline constexpr Rank kFewParts = 4;

/// With more ranks, on such machines whose ranks lie in order, plans by number for short messages
/// are predicted by the machine's shape alone.
inline constexpr Rank kNumbersWalkedUpTo = 512;
/// With more ranks so are all plans, also where ranks are dealt out to the innermost clusters in
/// turn.
inline constexpr Rank kWalkedUpTo = 4096;

/// Predicts plans on one machine. What it predicted for the last call it remembers, also for plans
/// that build the same schedule. The hierarchy must outlive it. Not thread-safe.
class Predictor {
 public:
  explicit Predictor(const collective::Hierarchy& hierarchy,
                     const topology::Transport& transport = {})
      : hierarchy_(hierarchy), transport_(transport) {}

  [[nodiscard]] Time operator()(const Plan& plan, const schedule::Collective& call) const;
  /// The same, not remembered: for calls beside the one at hand.
  [[nodiscard]] Time beside(const Plan& plan, const schedule::Collective& call) const;
  /// The same if the machine's shape tells it, without a walk over all ranks.
  [[nodiscard]] std::optional<Time> by_shape(const Plan& plan,
                                             const schedule::Collective& call) const;
  /// The same if it is found without a walk over all ranks, or if so many may be walked over: see
  /// kNumbersWalkedUpTo.
  [[nodiscard]] std::optional<Time> affordable(const Plan& plan,
                                               const schedule::Collective& call) const;
  /// Whether some plans are not affordable. It does not depend on what was asked before.
  [[nodiscard]] bool is_thrifty() const;
  /// Whether all ranks may be walked over to predict a plan.
  [[nodiscard]] bool may_walk(const Plan& plan, const schedule::Collective& call) const;
  /// The affordable prediction; else about what it is, by a few ranks, where that is known.
  [[nodiscard]] Time told(const Plan& plan, const schedule::Collective& call) const;
  /// What its prediction is not less than, found without a walk over all ranks; 0 where nothing is
  /// known.
  [[nodiscard]] Time at_least(const Plan& plan, const schedule::Collective& call) const;
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }
  /// All ranks one by one, worked out when it is first asked for.
  [[nodiscard]] const CostView& cost_view() const;

 private:
  [[nodiscard]] bool goes_by_parts() const;
  [[nodiscard]] std::optional<Time> found_by_shape(const Plan& plan,
                                                   const schedule::Collective& call) const;
  [[nodiscard]] const collective::FoldedMachine& folded_for(Rank root) const;

  const collective::Hierarchy& hierarchy_;
  topology::Transport transport_;
  mutable std::optional<bool> goes_by_parts_;
  mutable std::unique_ptr<CostView> cost_view_;
  mutable std::map<Rank, collective::FoldedMachine> folded_;  // [root]
  mutable PredictedTimes last_;
  mutable PredictedTimes last_by_shape_;  // what is affordable must not depend on walks before
};

}  // namespace espalier::select
