#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "collective/hierarchy.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "select/predict.hpp"
#include "select/rank_by_simulation.hpp"
#include "select/ranking.hpp"
#include "select/rules.hpp"

namespace espalier::select {

/// A class of calls. Calls of one class share a decision.
struct ClassKey {
  schedule::Operation operation = schedule::Operation::Barrier;
  Rank root = 0;
  std::uint32_t size_class = 0;  ///< see size_class()
  bool commutative = true;       ///< the reduction may combine in any order
  bool few_elements = false;     ///< see has_few_elements()
  bool irregular = false;        ///< blocks differ in length
  /// Bytes of each block, if the choice goes by them; see is_chosen_by_counts().
  std::vector<std::uint64_t> counts = {};
  friend auto operator<=>(const ClassKey&, const ClassKey&) = default;
};

/// What was decided for a class of calls. Segments of its plans count bytes.
struct Decision {
  /// The best plan, then the next best that differs in more than its segments, if there is one.
  /// Their times are predicted for the call that stands for the class.
  std::vector<Choice> plans;
  /// Predicted for the MPI library's own call. On machines of more than 512 ranks it is a lower
  /// bound where that shows the gain, else told by a few ranks: all of them take long to walk over.
  std::optional<Time> native;
  bool gains = false;  ///< the best plan gains over native by prediction
};

/// Which of the alternatives for a call is asked for.
enum class WhichPlan : std::uint8_t {
  ByPrediction,  ///< the best plan, or native where that gains nothing
  Best,          ///< the best plan, gain or not
  RunnerUp,      ///< the best of the other plans
  OverMemory,    ///< one of the leaders of nodes alone (over_memory.hpp); chosen as Best here
  OneCopy,       ///< none: by one copy inside a node (shared_memory.hpp); chosen as Best here
};

/// How a call shall run: along a plan, or by the MPI library's own call.
struct PlanChoice {
  std::string name;  ///< name of the plan, or "native"
  std::string why;
  std::optional<Time> predicted = {};
  std::optional<Time> native_predicted = {};  ///< see Decision::native
  std::optional<Plan> plan = {};  ///< segments count the call's elements; absent: native
  /// Calls of the same size class up to this count have this program but for a factor; 0: none.
  std::uint64_t scales_to = 0;

  [[nodiscard]] bool planned() const { return plan.has_value(); }
};

/// One of the alternatives that trials compare: a plan, or the MPI library's own call.
struct Alternative {
  std::optional<WhichPlan> which;  ///< which plan; absent: the MPI library's own call
  std::string name;                ///< the plan's name, or "native"
  std::optional<Time> predicted;
};

/// Store of decisions for ranks that share a memory: returns what is stored under `name`, else
/// stores and returns make().
using SharedDecisions =
    std::function<const Decision&(const std::string& name, const std::function<Decision()>& make)>;

/// Up to this many ranks each root has a choice of its own. Above, one choice serves all roots, and
/// a new root costs no new choice.
inline constexpr Rank kOwnRootsUpTo = 64;

/// The one chooser: the library at a call, `espalier plan` and the C++ API ask it. It takes the
/// plan with the shortest predicted time, or native if that plan gains nothing over the MPI
/// library's usual algorithms under the same model.
///
/// A decision depends only on machine, rules and class, which all ranks share, so each rank alone
/// comes to the same, whatever its rounding mode. What is remembered only saves time: at most kMost
/// classes, beyond that all are forgotten. The hierarchy must outlive it. Not thread-safe.
class Chooser {
 public:
  /// @param table the algorithms to choose from; it must outlive the plans
  explicit Chooser(const collective::Hierarchy& hierarchy, Rules rules = {},
                   SharedDecisions share = {}, AlgorithmTable table = algorithms());

  /// @pre call.size == hierarchy().machine().size()
  /// @return native also where there is no plan as asked for
  [[nodiscard]] PlanChoice choose(const schedule::Collective& call,
                                  WhichPlan which = WhichPlan::ByPrediction);
  /// What trials compare for this call, 1 to 3. The first is what runs without trials:
  ///   - Even machine: no prediction is trusted; native, then the best plan.
  ///   - A plan gains by prediction: that plan, native, the runner-up if it is predicted near.
  ///   - No plan gains: native, then the best plan if it is predicted near.
  [[nodiscard]] std::vector<Alternative> alternatives(const schedule::Collective& call);

  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return predictor_.hierarchy(); }
  [[nodiscard]] const Predictor& predictor() const { return predictor_; }
  [[nodiscard]] const Rules& rules() const { return rules_; }
  [[nodiscard]] std::size_t remembered() const { return decided_.size(); }

  static constexpr std::size_t kMost = 1024;

 private:
  const Decision& decide(const schedule::Collective& call);
  [[nodiscard]] Decision look_for_best(const schedule::Collective& call, Rank root) const;
  [[nodiscard]] Decision seen_from(Decision decision, const schedule::Collective& call,
                                   bool few_elements) const;
  /// For calls whose blocks differ in length (choose_blocks.cpp).
  [[nodiscard]] Decision decide_blocks(const schedule::Collective& call) const;
  /// For calls that are chosen by their counts (choose_by_counts.cpp).
  [[nodiscard]] Decision decide_by_counts(const schedule::Collective& call) const;
  [[nodiscard]] std::optional<Time> predict_native_blocks(
      const schedule::Collective& regular) const;
  /// All plans, the best first: by prediction, those near the best by simulation.
  /// Of large machines the first two that serve, and what comes before them.
  [[nodiscard]] std::vector<Choice> ranked(const schedule::Collective& call, Roots roots,
                                           const std::function<bool(const Plan&)>& serves) const;
  /// The plans of Decision, by the regular call that stands for the class.
  [[nodiscard]] std::vector<Choice> best_plans(const schedule::Collective& call,
                                               const schedule::Collective& stands_for) const;

  Predictor predictor_;
  Rules rules_;
  SharedDecisions share_;
  AlgorithmTable table_;
  std::map<ClassKey, Decision> decided_;
};

/// A rank's own part of a choice. @pre choice.planned()
[[nodiscard]] inline schedule::Program own_part(const PlanChoice& choice,
                                                const collective::Hierarchy& hierarchy,
                                                const schedule::Collective& call, Rank rank) {
  return own_part(*choice.plan, hierarchy, call, rank);
}

/// Whether ranks differ in what a plan could go by: levels, or what sending costs them.
[[nodiscard]] bool is_uneven(const topology::Machine& machine);

/// Whether a plan gains over native: 5 % at least, since predictions are no better than that.
[[nodiscard]] bool is_gain(Time planned, Time native);

/// For irregular calls whose lengths not all ranks know: plans are chosen for blocks of the first
/// length, and must not lose for blocks of the second.
inline constexpr std::uint64_t kUnknownBlock = 1024;
inline constexpr std::uint64_t kLongBlockClass = 65536;
/// Irregular calls whose mean blocks fall into one class (powers of 16) share a choice, made for
/// this length.
[[nodiscard]] std::uint64_t block_class(std::uint64_t mean_bytes);
/// With more ranks a choice by the lengths takes longer than a tenth of a second.
inline constexpr Rank kChosenByCountsUpTo = 64;
/// Whether a choice goes by the very lengths of a call's blocks: those of an allgatherv, if they
/// differ, among up to kChosenByCountsUpTo ranks. All ranks know them.
[[nodiscard]] bool is_chosen_by_counts(const schedule::Collective& call);
/// A gatherv, scatterv, allgatherv or alltoallv as it is chosen for where its lengths do not count:
/// all blocks of one length. That is the class of the mean of an allgatherv, else
/// kUnknownBlock. @pre call.irregular()
[[nodiscard]] schedule::Collective with_assumed_blocks(const schedule::Collective& call);

/// Calls whose sizes fall into one class share a choice. There are four classes between two powers
/// of two: 8-9, 10-11, 12-13, 14-15, 16-19, 20-23, ... bytes.
[[nodiscard]] std::uint32_t size_class(Bytes bytes);
/// The size that stands for a class.
[[nodiscard]] Bytes least_of_class(std::uint32_t size_class);

}  // namespace espalier::select
