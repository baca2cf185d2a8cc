#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "select/candidates.hpp"
#include "select/choice.hpp"
#include "select/predict.hpp"
#include "select/rank_by_simulation.hpp"

namespace espalier::select {

/// Above that no exchange of everybody with everybody is looked at.
inline constexpr Rank kExchangesUpTo = 4096;

/// Above that only two segment sizes are looked at before the best is tuned level by level.
inline constexpr Rank kEverySegmentUpTo = 64;

/// For whom a choice is made.
enum class Roots : std::uint8_t {
  Own,  ///< the call's own root
  Any,  ///< all: from root 0, and of plans by number also how they do from other roots
};

/// All candidates by their predicted times, the fastest first; ties stay in the order of
/// candidates(), but for plans that send every block straight to its target: within 0.5 % of the
/// fastest they go first, since what others copy has no figure on most machines; and for trees that
/// know the machine, which go before others within 1 %. To the multilevel
/// ones comes the best of them tuned level by level (tuned_by_level()).
[[nodiscard]] std::vector<Choice> ranking(const collective::Hierarchy& hierarchy,
                                          const CostView& cost_view,
                                          const schedule::Collective& call, Bits bits = Bits::Any,
                                          Roots roots = Roots::Own);

/// Lets each level choose its own tree and segment size, the slowest level first, as long as that
/// makes the prediction shorter. At most kRounds * levels * shapes * segments predictions.
[[nodiscard]] Choice tuned_by_level(Choice start, const collective::Hierarchy& hierarchy,
                                    const CostView& cost_view, const schedule::Collective& call);

/// What a chooser comes to for a class of calls.
struct Best {
  Choice first;
  std::optional<Choice> second;  ///< not the first with other segments
};

/// How a chooser goes about it, beyond predicting.
struct ChooserOptions {
  std::optional<SimulationBudget> budget;  ///< of the best by prediction; none: prediction decides
  /// Where ranks that share a memory keep what one of them has found for all: what is there under
  /// that name, or else what `make` returns. Without it everybody works it out alone.
  std::function<const Best&(const std::string& name, const std::function<Best()>& make)> share;
};

/// Chooses plans for one machine, and remembers what it chose.
///
/// A choice is made for a class of sizes (powers of two), and is shared by all calls of the class,
/// and by all roots if it is made for them; so it depends on nothing but machine, operation, class,
/// root and whether the operation commutes, and every rank chooses alike without a word. Holds at
/// most kMost classes; then it forgets all, which costs time and changes nothing. The hierarchy
/// must outlive it.
class Chooser {
 public:
  explicit Chooser(const collective::Hierarchy& hierarchy, Bits bits = Bits::Any,
                   ChooserOptions options = {})
      : hierarchy_(hierarchy),
        cost_view_(hierarchy.machine()),
        bits_(bits),
        options_(std::move(options)) {}

  /// The plan for this call: its segments are in the call's own elements; `predicted` is that of
  /// the class.
  [[nodiscard]] Choice choose(const schedule::Collective& call, Roots roots = Roots::Any);
  /// The next best that is not the same with other segments, if there is one.
  [[nodiscard]] std::optional<Choice> runner_up(const schedule::Collective& call,
                                                Roots roots = Roots::Any);
  /// What this call itself is predicted to take under a plan.
  [[nodiscard]] Time predict(const Plan& plan, const schedule::Collective& call) const {
    return select::predict(plan, cost_view_, hierarchy_, call);
  }
  /// Whether choices are by simulation: their segments are as the network wants them.
  [[nodiscard]] bool simulates() const { return options_.budget.has_value(); }
  [[nodiscard]] std::size_t remembered() const { return chosen_.size(); }

  static constexpr std::size_t kMost = 1024;

 private:
  using Key = std::tuple<schedule::Operation, unsigned, bool, bool, Rank>;

  const Best& best_of(const schedule::Collective& call, Roots roots);
  [[nodiscard]] Best look_for_best(const schedule::Collective& call, unsigned size_class,
                                   Roots roots) const;

  const collective::Hierarchy& hierarchy_;
  CostView cost_view_;
  Bits bits_;
  ChooserOptions options_;
  std::map<Key, Best> chosen_;
};

/// The same plan for elements of another size: segments keep their bytes, as far as whole elements
/// allow.
[[nodiscard]] Plan in_elements(Plan plan, Bytes from, Bytes to);

}  // namespace espalier::select
