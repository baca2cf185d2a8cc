#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "select/candidates.hpp"
#include "select/predict.hpp"
#include "select/rank_by_simulation.hpp"

namespace espalier::select {

/// With more ranks, plans in which each rank meets all others are not considered.
inline constexpr Rank kExchangesUpTo = 4096;

/// With more ranks, only two segment sizes are predicted before the best is tuned level by level.
inline constexpr Rank kEverySegmentUpTo = 64;

/// Which roots a choice must serve.
enum class Roots : std::uint8_t {
  Own,  ///< the call's own root
  Any,  ///< all roots: predicted from root 0, plans by number from other roots too
};

/// All candidates by predicted time, the fastest first; ties stay in the order of candidates().
/// Exceptions:
/// - The best multilevel plan is also entered tuned level by level (tuned_by_level()).
/// - A tree that knows the machine goes first if it is within 1 % of the fastest.
/// - A plan that sends every block straight to its target goes first if it is within 0.5 % of the
///   fastest: most machines have no figure for the copies that other plans make.
[[nodiscard]] std::vector<Choice> ranking(const collective::Hierarchy& hierarchy,
                                          const CostView& cost_view,
                                          const schedule::Collective& call, Bits bits = Bits::Any,
                                          Roots roots = Roots::Own);

/// Changes tree shape and segment size of one level after the other, the outermost first, while the
/// predicted time falls. At most kRounds * levels * (shapes + segments) predictions.
[[nodiscard]] Choice tuned_by_level(Choice start, const collective::Hierarchy& hierarchy,
                                    const CostView& cost_view, const schedule::Collective& call);

/// The best plans for a class of calls.
struct Best {
  Choice first;
  std::optional<Choice> second;  ///< next best plan that differs in more than its segments
};

/// What a chooser does besides predicting.
struct ChooserOptions {
  /// Simulates the best by prediction; absent: prediction decides.
  std::optional<SimulationBudget> budget;
  /// Store of results for ranks that share a memory: returns what is stored under `name`, else
  /// stores and returns make(). Empty: each rank computes every result itself.
  std::function<const Best&(const std::string& name, const std::function<Best()>& make)> share;
};

/// Chooses plans for one machine, and remembers what it chose.
///
/// One choice serves all calls of a size class (powers of two), and all roots if it was made for
/// them. It depends only on machine, operation, size class, root and whether the operation
/// commutes, so every rank chooses alike without communication. Remembers at most kMost classes;
/// beyond that it forgets all of them, which costs time and changes no choice.
/// @pre the hierarchy outlives it
class Chooser {
 public:
  explicit Chooser(const collective::Hierarchy& hierarchy, Bits bits = Bits::Any,
                   ChooserOptions options = {})
      : hierarchy_(hierarchy),
        cost_view_(hierarchy.machine()),
        bits_(bits),
        options_(std::move(options)) {}

  /// The plan for this call. Its segments count the call's elements; `predicted` is the time of the
  /// call that stands for the size class.
  [[nodiscard]] Choice choose(const schedule::Collective& call, Roots roots = Roots::Any);
  /// The next best plan that differs in more than its segments, if there is one.
  [[nodiscard]] std::optional<Choice> runner_up(const schedule::Collective& call,
                                                Roots roots = Roots::Any);
  /// Predicted time of this very call under a plan.
  [[nodiscard]] Time predict(const Plan& plan, const schedule::Collective& call) const {
    return select::predict(plan, cost_view_, hierarchy_, call);
  }
  /// Whether simulation decides, so that segments fit the network already.
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
