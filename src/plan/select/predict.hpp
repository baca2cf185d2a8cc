#pragma once

#include <span>

#include "select/cost_view.hpp"
#include "select/plan.hpp"
#include "select/whole_tree.hpp"

namespace espalier::select {

/// The time of a plan without simulating it: closed forms level by level for trees, round by round
/// for the classical algorithms, on the same machine and by the same rules as the simulator (links
/// shared fairly). Deterministic on every rank and CPU.
///
/// O(ranks) for trees, O(ranks log ranks) for algorithms in log ranks rounds; of direct exchanges
/// O(ranks^2).
/// @pre cost_view is of the hierarchy's machine; the plan serves the call
[[nodiscard]] Time predict(const Plan& plan, const CostView& cost_view,
                           const collective::Hierarchy& hierarchy,
                           const schedule::Collective& call);

/// Predicts plans on one machine. The hierarchy must outlive it.
class Predictor {
 public:
  explicit Predictor(const collective::Hierarchy& hierarchy)
      : hierarchy_(hierarchy), cost_view_(hierarchy.machine()) {}

  [[nodiscard]] Time operator()(const Plan& plan, const schedule::Collective& call) const {
    return predict(plan, cost_view_, hierarchy_, call);
  }
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] const CostView& cost_view() const { return cost_view_; }

 private:
  const collective::Hierarchy& hierarchy_;
  CostView cost_view_;
};

// Parts of predict(), one in a file.
/// How many vectors a reduction sends up from each sub-tree.
enum class Partials : std::uint8_t {
  One,     ///< one: the operation commutes
  Runs,    ///< one for each run of ranks: the operation does not commute
  Blocks,  ///< one for each block of the reference order
};

/// @param segments bytes a message on each level of the cost_view's machine
[[nodiscard]] Picos predict_multilevel(const collective::MultilevelChoice& choice,
                                       std::span<const double> segments, const CostView& cost_view,
                                       const collective::Hierarchy& hierarchy,
                                       const schedule::Collective& call, Partials partials);
/// Operations without a tree of leaders: bundles of an alltoall, runs of a scan.
[[nodiscard]] Picos predict_aggregated_alltoall(const collective::Carriers& carriers,
                                                const CostView& cost_view,
                                                const collective::Hierarchy& hierarchy,
                                                const schedule::Collective& call);
[[nodiscard]] Picos predict_multilevel_scan(const collective::MultilevelChoice& choice,
                                            const CostView& cost_view,
                                            const collective::Hierarchy& hierarchy,
                                            const schedule::Collective& call);
[[nodiscard]] Picos predict_striped(const collective::StripedChoice& choice,
                                    const CostView& cost_view,
                                    const collective::Hierarchy& hierarchy,
                                    const schedule::Collective& call);
[[nodiscard]] Picos predict_blind_tree(const BlindTree& plan, const CostView& cost_view,
                                       const schedule::Collective& call);
/// A broadcast or reduction along one tree. @param segment bytes a message; 0: whole
[[nodiscard]] Picos predict_one_tree(const WholeTree& tree, double segment,
                                     const CostView& cost_view, const schedule::Collective& call);
/// @param order the ranks as the algorithm counts them: by number, or along the machine
[[nodiscard]] Picos predict_classical(const std::string& name, std::vector<Rank> order,
                                      const CostView& cost_view, const schedule::Collective& call);

}  // namespace espalier::select
