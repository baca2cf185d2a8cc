#include "select/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/contract.hpp"
#include "collective/postal_shape.hpp"
#include "collective/segments.hpp"
#include "select/leading.hpp"
#include "select/segments.hpp"
#include "select/simulated_times.hpp"

namespace espalier::select {
namespace {

using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using schedule::Collective;
using schedule::Operation;

constexpr int kRounds = 2;

/// Whether each rank has a message for every other one: its prediction takes O(ranks^2).
bool meets_everybody(const Plan& plan, const Collective& call) {
  return plan.algorithm->traits.meets_everybody.contains(call.operation);
}

/// Whether messages are whole or in segments of 16 KiB (short messages: 1 KiB). Tuning starts from
/// these.
bool has_usual_segments(const Plan& plan, const Collective& call) {
  const bool is_short = call.count * call.element.value <= collective::kShortOfSegments;
  const std::uint64_t usual = is_short ? 2 * collective::kShortSegment : 16384;
  const std::uint64_t segment = first_segment(plan);
  return segment == 0 || segment * call.element.value == usual;
}

/// Copies cost time, but most machines have no figure for memory. So among plans within 0.5 % of
/// the fastest, one that copies nothing goes first, unless its messages, at a microsecond each,
/// take more than 1 % of the time; then one that bundles messages goes first.
void prefer_direct_plans(std::vector<Choice>& ranked, const Collective& call) {
  if (ranked.empty()) return;
  const std::int64_t best = ranked.front().predicted.picoseconds;
  const bool too_many = std::int64_t{call.size} * microseconds(1).picoseconds > best / 100;
  const auto it = std::find_if(ranked.begin(), ranked.end(), [&](const Choice& choice) {
    return choice.plan.algorithm->traits.sends_directly != too_many;
  });
  if (it == ranked.end() || it->predicted > lengthened(ranked.front().predicted, 200)) return;
  std::rotate(ranked.begin(), it, it + 1);
}

/// Among plans within 1 % of the fastest, one that knows the machine goes first: the others cross
/// slow links more often, which slows other traffic.
void prefer_topology_aware_plans(std::vector<Choice>& ranked, const Collective& call) {
  if (ranked.empty() || !schedule::has_root(call.operation)) return;
  const auto it = std::find_if(ranked.begin(), ranked.end(),
                               [](const Choice& choice) { return !ignores_topology(choice.plan); });
  if (it == ranked.end() || it->predicted > lengthened(ranked.front().predicted, 100)) return;
  std::rotate(ranked.begin(), it, it + 1);
}

}  // namespace

Choice tuned_by_level(Choice start, const collective::Hierarchy& hierarchy, const Collective& call,
                      const std::function<Time(const Plan&)>& time_of,
                      const std::function<Time(const Plan&)>& at_least) {
  if (!start.plan.algorithm->traits.is_tuned || levels_of(start.plan) == nullptr) return start;
  const Algorithm* algorithm = start.plan.algorithm;
  MultilevelChoice best = *levels_of(start.plan);
  Time least = start.predicted;
  const auto try_level = [&](std::size_t level, const LevelChoice& other) {
    if (best.levels[level] == other) return false;
    MultilevelChoice changed = best;
    changed.levels[level] = other;
    const Plan plan{algorithm, changed};
    if (at_least && at_least(plan) >= least) return false;
    const Time predicted = time_of(plan);
    if (predicted >= least) return false;
    least = predicted;
    best = std::move(changed);
    return true;
  };
  const std::vector<std::uint64_t> segments = collective::segments_for(call);
  for (int round = 0; round < kRounds; ++round) {
    bool better = false;
    for (std::size_t level = 0; level < best.levels.size(); ++level) {
      for (const Shape shape : {Shape::Flat, Shape::Chain, Shape::Binary, Shape::Binomial,
                                Shape::Quadnomial, Shape::Octonomial}) {
        better |= try_level(level, {shape, best.levels[level].segment});
      }
      const std::uint64_t piece = best.levels[level].segment;
      const Shape fitted =
          collective::fitted_shapes(hierarchy, collective::bytes_of_message(call, piece))[level];
      better |= try_level(level, {fitted, piece});
      for (const std::uint64_t segment : segments) {
        better |= try_level(level, {best.levels[level].shape, segment});
        // Only in short segments, which other trees are slower with: one step at a time misses it.
        if (call.size <= kEverySegmentUpTo) better |= try_level(level, {Shape::Binary, segment});
      }
    }
    if (!better) break;
  }
  return {{algorithm, best}, least};
}

namespace {

/// The predicted time of a plan for a call.
using TimeOf = std::function<Time(const Plan&, const Collective&)>;

/// Sum of seconds over all roots, or over 8 roots whose spacing follows no period of the machine.
double time_over_roots(const Plan& plan, const TimeOf& time_of, const Collective& call) {
  constexpr Rank kRoots = 8;
  const Rank step = call.size <= kRoots ? 1 : static_cast<Rank>(0.618 * call.size);
  double sum = 0;
  for (Rank i = 0; i < std::min(call.size, kRoots); ++i) {
    Collective from_there = call;
    from_there.root = static_cast<Rank>(std::uint64_t{i} * step % call.size);
    sum += to_seconds(time_of(plan, from_there));
  }
  return sum;
}

/// How plans of a call are ranked.
struct RankedBy {
  /// The predicted time of a plan for this call; absent: it is left out.
  std::function<std::optional<Time>(const Plan&)> time_of;
  TimeOf beside;               ///< the predicted time from other roots
  TimeOf at_least;             ///< a lower bound of the predicted time
  Leading* leading = nullptr;  ///< knows which plans are beaten and left out; null: none is
  /// Predicts plans of which time_of() knows none, after all others; null, absent: left out.
  std::function<std::optional<Time>(const Plan&)> walk = {};
};

/// Whether a plan is beaten over other roots: then the choice for all roots goes by them.
bool is_beaten_over_roots(const Choice& choice, double from_0, double over_all, const RankedBy& by,
                          const Collective& call) {
  if (by.leading == nullptr) return false;
  const double beside = time_over_roots(choice.plan, by.at_least, call) / over_all;
  constexpr double kChanges = 1.0011;  // less of a change does not count
  return beside > kChanges &&
         by.leading->is_beaten(choice.plan, nearest_time(beside * from_0 * 1e12) - Time{1});
}

/// Sets Choice::over_roots of plans that do not know the machine. With many ranks, which are not
/// simulated, only of those that would be chosen: it makes none faster.
void look_from_other_roots(std::vector<Choice>& ranked, const RankedBy& by,
                           const Collective& call) {
  const double worth_a_look = worth_of_simulation(Time{}, call.size) == 0 ? 1 : 1.5;
  const auto knows = std::find_if(ranked.begin(), ranked.end(), [](const Choice& choice) {
    return !ignores_topology(choice.plan);
  });
  if (!schedule::has_root(call.operation) || knows == ranked.end()) return;
  const double from_0 = to_seconds(knows->predicted);
  const Plan best = knows->plan;
  std::optional<double> over_all;
  std::vector<Choice> kept;
  for (Choice& choice : ranked) {
    const double takes = to_seconds(choice.predicted);
    if (ignores_topology(choice.plan) && takes > 0 && takes <= worth_a_look * from_0) {
      if (!over_all) over_all = time_over_roots(best, by.beside, call);
      if (is_beaten_over_roots(choice, from_0, *over_all, by, call)) continue;
      const double beside = time_over_roots(choice.plan, by.beside, call) / *over_all;
      const double over_roots = beside / (takes / from_0);
      if (over_roots >= 1.001) {
        choice.over_roots = over_roots;
        choice.predicted = nearest_time(takes * over_roots * 1e12);
      }
    }
    kept.push_back(std::move(choice));
  }
  ranked = std::move(kept);
}

/// The best multilevel plan, and on few ranks the best with another tree on the outermost level,
/// and another.
std::vector<Choice> worth_tuning(const std::vector<Choice>& ranked, Rank size) {
  const std::size_t most = size <= kEverySegmentUpTo ? 3 : 1;
  std::vector<Choice> starts;
  for (const Choice& choice : ranked) {
    const auto* plan = levels_of(choice.plan);
    if (plan == nullptr || !choice.plan.algorithm->traits.is_tuned) continue;
    const auto is_like = [&](const Choice& other) {
      const MultilevelChoice* there = levels_of(other.plan);
      return there->top == plan->top && there->levels.front().shape == plan->levels.front().shape;
    };
    if (std::any_of(starts.begin(), starts.end(), is_like)) continue;
    starts.push_back(choice);
    if (starts.size() == most) break;
  }
  return starts;
}

}  // namespace

void put_preferred_first(std::vector<Choice>& ranked, const Collective& call) {
  prefer_topology_aware_plans(ranked, call);
  prefer_direct_plans(ranked, call);
}

namespace {

/// Plans with their predicted times, in the order of candidates(). First those of which no lower
/// bound is known, then the others, the lowest bound first, as long as they are not beaten.
std::vector<Choice> predicted_plans(std::vector<Plan> plans, const RankedBy& by,
                                    const Collective& call) {
  struct Waiting {
    std::size_t index;
    Time at_least;
  };
  std::vector<Time> times(plans.size(), kForever);
  std::vector<bool> is_out(plans.size(), false);
  std::vector<Waiting> waiting;
  std::vector<Waiting> unknown;  // by time_of(); the lowest bound first
  const auto predict = [&](std::size_t i, Time at_least) {
    const std::optional<Time> time = by.time_of(plans[i]);
    is_out[i] = !time;
    if (!time && by.walk) unknown.push_back({i, at_least});
    if (!time) return;
    times[i] = *time;
    if (by.leading != nullptr) by.leading->note(plans[i], times[i]);
  };
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Time least = by.leading == nullptr ? Time{} : by.at_least(plans[i], call);
    if (least.picoseconds == 0) {
      predict(i, least);
    } else {
      waiting.push_back({i, least});
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Waiting& a, const Waiting& b) { return a.at_least < b.at_least; });
  for (const Waiting& one : waiting) {
    is_out[one.index] = by.leading->is_beaten(plans[one.index], one.at_least);
    if (!is_out[one.index]) predict(one.index, one.at_least);
  }
  for (const Waiting& one : unknown) {
    const Plan& plan = plans[one.index];
    if (by.leading->is_beaten(plan, one.at_least) || !by.leading->is_worth_a_walk(one.at_least)) {
      continue;
    }
    const std::optional<Time> time = by.walk(plan);
    is_out[one.index] = !time;
    if (!time) continue;
    times[one.index] = *time;
    by.leading->note(plan, *time);
  }
  std::vector<Choice> ranked;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!is_out[i]) ranked.push_back({std::move(plans[i]), times[i]});
  }
  return ranked;
}

/// Plans that are predicted.
std::vector<Plan> usual_plans(const collective::Hierarchy& hierarchy, const Collective& call,
                              Bits bits, AlgorithmTable table) {
  std::vector<Plan> plans = proposed_plans(hierarchy, call, bits, table);
  std::erase_if(plans, [&](const Plan& plan) {
    return (call.size > kExchangesUpTo && meets_everybody(plan, call)) ||
           (call.size > kEverySegmentUpTo && !has_usual_segments(plan, call));
  });
  return plans;
}

std::vector<Choice> ranking_by(const RankedBy& by, const collective::Hierarchy& hierarchy,
                               const Collective& call, Bits bits, Roots roots,
                               AlgorithmTable table) {
  std::vector<Choice> ranked = predicted_plans(usual_plans(hierarchy, call, bits, table), by, call);
  const auto sort = [&] {
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Choice& a, const Choice& b) { return a.predicted < b.predicted; });
  };
  sort();
  if (roots == Roots::Any) {
    look_from_other_roots(ranked, by, call);
    sort();
  }
  for (const Choice& start : worth_tuning(ranked, call.size)) {
    std::function<Time(const Plan&)> at_least;
    if (by.at_least) at_least = [&](const Plan& plan) { return by.at_least(plan, call); };
    const auto time_of = [&](const Plan& plan) {
      std::optional<Time> time = by.time_of(plan);
      if (!time && by.walk) time = by.walk(plan);
      return time.value_or(kForever);
    };
    Choice tuned = tuned_by_level(start, hierarchy, call, time_of, at_least);
    const auto is_same = [&](const Choice& one) {
      return build_the_same(one.plan, tuned.plan, hierarchy, call);
    };
    if (std::none_of(ranked.begin(), ranked.end(), is_same)) ranked.push_back(std::move(tuned));
  }
  sort();
  put_preferred_first(ranked, call);
  return ranked;
}

RankedBy by_predictor(const Predictor& predictor, const Collective& call) {
  return {
      [&](const Plan& plan) { return predictor(plan, call); },
      [&](const Plan& plan, const Collective& other) { return predictor.beside(plan, other); },
      [&](const Plan& plan, const Collective& other) { return predictor.at_least(plan, other); },
      nullptr};
}

}  // namespace

std::vector<Choice> ranking(const collective::Hierarchy& hierarchy, const CostView& cost_view,
                            const Collective& call, Bits bits, Roots roots, AlgorithmTable table) {
  PredictedTimes times;
  const auto beside = [&](const Plan& plan, const Collective& other) {
    return predict(plan, cost_view, hierarchy, other);
  };
  const auto time_of = [&](const Plan& plan) {
    return times.of(plan, hierarchy, call, [&] { return beside(plan, call); });
  };
  return ranking_by({time_of, beside, {}, nullptr}, hierarchy, call, bits, roots, table);
}

std::vector<Choice> ranking(const Predictor& predictor, const Collective& call, Bits bits,
                            Roots roots, AlgorithmTable table) {
  return ranking_by(by_predictor(predictor, call), predictor.hierarchy(), call, bits, roots, table);
}

std::vector<Choice> leaders(const Predictor& predictor, const Collective& call, Bits bits,
                            Roots roots, AlgorithmTable table,
                            const std::function<bool(const Plan&)>& serves) {
  expects(worth_of_simulation(Time{}, call.size) == 0, "leaders: so few ranks are simulated");
  using MaybeTime = std::function<std::optional<Time>(const Plan&)>;
  const collective::Hierarchy& hierarchy = predictor.hierarchy();
  const auto ranked = [&](MaybeTime time_of, MaybeTime walk = {}) {
    Leading leading(call, roots, serves);
    RankedBy by = by_predictor(predictor, call);
    by.time_of = std::move(time_of);
    by.leading = &leading;
    by.walk = std::move(walk);
    return ranking_by(by, hierarchy, call, bits, roots, table);
  };
  const auto predicted = [&](const Plan& plan) { return std::optional(predictor(plan, call)); };
  if (!predictor.is_thrifty()) return ranked(predicted);
  // Hardly any plan along levels is told by shape then, and plans by number are.
  const bool is_ordered = call.operation == Operation::Allreduce ||
                          call.operation == Operation::Reduce ||
                          call.operation == Operation::ReduceScatter;
  if (is_ordered && !call.commutative) return ranked(predicted);
  // From other roots than 0 hardly any plan by number is told by shape.
  const auto by_shape = [&](const Plan& plan) -> std::optional<Time> {
    if (schedule::has_root(call.operation) && ignores_topology(plan)) return std::nullopt;
    return predictor.by_shape(plan, call);
  };
  const auto walk = [&](const Plan& plan) -> std::optional<Time> {
    if (!predictor.may_walk(plan, call)) return std::nullopt;
    return predictor(plan, call);
  };
  std::vector<Choice> found = ranked(by_shape, walk);
  const auto is_served = [&](const Choice& choice) { return serves(choice.plan); };
  if (std::any_of(found.begin(), found.end(), is_served)) return found;
  // Nothing can be predicted: lower bounds decide where all have one. Scans over levels have none
  // where ranks are dealt out, and are left out there.
  const std::vector<Plan> all = usual_plans(hierarchy, call, bits, table);
  const auto has_bound = [&](const Plan& plan) { return predictor.at_least(plan, call) > Time{0}; };
  const auto is_told = [&](const Plan& plan) { return has_bound(plan) && serves(plan); };
  const bool suffices = hierarchy.shape().dealt_to != 0
                            ? std::any_of(all.begin(), all.end(), is_told)
                            : std::all_of(all.begin(), all.end(), has_bound);
  if (!suffices) return ranked(predicted);
  return ranked([&](const Plan& plan) -> std::optional<Time> {
    if (!has_bound(plan)) return std::nullopt;
    return predictor.at_least(plan, call);
  });
}

}  // namespace espalier::select
