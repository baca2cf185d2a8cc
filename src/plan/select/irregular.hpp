#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collective/irregular_tree.hpp"
#include "model/cost_model.hpp"
#include "schedule/schedule.hpp"
#include "select/schedule_times.hpp"
#include "select/transport.hpp"
#include "sim/options.hpp"
#include "sim/result.hpp"
#include "topology/machine.hpp"
#include "tree/comm_tree.hpp"
#include "tree/irregular.hpp"

namespace espalier::select {

/// A plan, as a value, for a scatterv or gatherv whose lengths are all known.
struct IrregularPlan {
  std::string algorithm;  ///< name in tree/irregular_algorithm.hpp, or "searched"
  tree::CommTree tree;
  collective::Sending sending = collective::Sending::AtOnce;
  Bytes piece;  ///< length of the pieces of a bundle; 0: whole bundles
  Time setup;   ///< time before the first byte: rounds that find the tree
  friend bool operator==(const IrregularPlan&, const IrregularPlan&) = default;
};
/// "minimum-first", "minimum-first one by one", "clustered-1 in pieces of 64 KiB"
[[nodiscard]] std::string name_of(const IrregularPlan& plan);
[[nodiscard]] schedule::Schedule schedule_of(const IrregularPlan& plan,
                                             const schedule::Collective& call);

/// The lengths of a call's blocks.
[[nodiscard]] std::vector<Bytes> bytes_of(const schedule::Collective& call);

struct IrregularConditions {
  Bytes bundle_limit = tree::kBundleLimit;  ///< most bytes that a rank may hold for others
  std::uint32_t trials = 300;               ///< steps of the local search; 0: no search
  std::uint64_t seed = 1;                   ///< seed of the local search
  /// Work of all simulations together (sim/budget.hpp).
  std::uint64_t messages = kAnyMessages;
  sim::SimOptions sim;
  /// The t(i, j, m) that trees are built by; nullptr: the machine's levels. Any model will do,
  /// since times of plans are simulated on the machine all the same. It must outlive this.
  const model::CostModel* model = nullptr;
};
/// As SimGrid's SMPI runs them: messages of one pair are flows of their own, and near ones get more
/// of a link than far ones. Exact sharing up to 256 ranks.
[[nodiscard]] sim::SimOptions smpi_conditions(const topology::Machine& machine);
/// As they run under this MPI library: messages of one pair follow each other, links are shared
/// max-min fairly, and from the library's eager limit on a message waits for its receiver.
/// Handshakes are left out: over far links the executor sends in parts that need none. Under SMPI,
/// and if no library is known, smpi_conditions().
[[nodiscard]] sim::SimOptions conditions_under(NativeMpi mpi, const topology::Machine& machine);

/// A plan and its time, setup included: by simulation, or by the cost model of trees, one message
/// after the other, if the budget did not last.
struct IrregularChoice {
  IrregularPlan plan;
  Time predicted;
  bool is_simulated = true;
};

/// The tree of one algorithm for this call, within the limit of bundles: by the model of the
/// conditions, of a gather backwards in time. @pre call is an irregular scatter or gather of the
/// machine's size
[[nodiscard]] IrregularPlan irregular_plan(std::string_view algorithm,
                                           const topology::Machine& machine,
                                           const schedule::Collective& call,
                                           const IrregularConditions& conditions = {});
[[nodiscard]] Time predict(const IrregularPlan& plan, const topology::Machine& machine,
                           const schedule::Collective& call, const sim::SimOptions& options);

/// Every tree that is known, at once and one by one, the best three of them in pieces too, and the
/// best of all improved by local search ("searched"); the fastest first, ties in that order. Within
/// 1 % of the fastest, those of the lowest trees go first, whole before in pieces, and the searched
/// one last of its kind: predictions are no better than that.
///
/// With a budget: first the trees of a quick choice (quick_irregular.hpp), then the others by the
/// cost model, in pieces and searched with what is left. Plans that are not simulated come last, by
/// the cost model; in pieces and searched there are none of these.
///
/// Deterministic. Some 40 + trials simulations, or as many as the budget allows.
[[nodiscard]] std::vector<IrregularChoice> irregular_ranking(const topology::Machine& machine,
                                                             const schedule::Collective& call,
                                                             const IrregularConditions& conditions);
/// The same beside a plan that was chosen and simulated before, within what is left of a budget.
/// That plan stands in the place of the one of its name, whose tree may be another.
[[nodiscard]] std::vector<IrregularChoice> irregular_ranking(const topology::Machine& machine,
                                                             const schedule::Collective& call,
                                                             const IrregularConditions& conditions,
                                                             ScheduleTimes& times,
                                                             const IrregularChoice& chosen);

}  // namespace espalier::select
