#include "select/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collective/postal_shape.hpp"
#include "collective/segments.hpp"
#include "select/segments.hpp"
#include "select/simulated_times.hpp"

namespace espalier::select {
namespace {

using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using schedule::Collective;

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
  if (it == ranked.end() || it->predicted.picoseconds > best + best / 200) return;
  std::rotate(ranked.begin(), it, it + 1);
}

bool ignores_topology(const Plan& plan) { return plan.algorithm->traits.by_number; }

/// Among plans within 1 % of the fastest, one that knows the machine goes first: the others cross
/// slow links more often, which slows other traffic.
void prefer_topology_aware_plans(std::vector<Choice>& ranked, const Collective& call) {
  if (ranked.empty() || !schedule::has_root(call.operation)) return;
  const std::int64_t best = ranked.front().predicted.picoseconds;
  const auto it = std::find_if(ranked.begin(), ranked.end(),
                               [](const Choice& choice) { return !ignores_topology(choice.plan); });
  if (it == ranked.end() || it->predicted.picoseconds > best + best / 100) return;
  std::rotate(ranked.begin(), it, it + 1);
}

}  // namespace

Choice tuned_by_level(Choice start, const collective::Hierarchy& hierarchy, const Collective& call,
                      const std::function<Time(const Plan&)>& time_of) {
  if (!start.plan.algorithm->traits.is_tuned || levels_of(start.plan) == nullptr) return start;
  const Algorithm* algorithm = start.plan.algorithm;
  MultilevelChoice best = *levels_of(start.plan);
  Time least = start.predicted;
  const auto try_level = [&](std::size_t level, const LevelChoice& other) {
    if (best.levels[level] == other) return false;
    MultilevelChoice changed = best;
    changed.levels[level] = other;
    const Time predicted = time_of({algorithm, changed});
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
      }
    }
    if (!better) break;
  }
  return {{algorithm, best}, least};
}

namespace {

/// The predicted time of a plan for a call.
using TimeOf = std::function<Time(const Plan&, const Collective&)>;

/// Sum of predicted seconds over all roots, or over 8 roots whose spacing follows no period of the
/// machine.
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

/// Sets Choice::over_roots of plans that do not know the machine. With many ranks, which are not
/// simulated, only of those that would be chosen: it makes none faster.
void look_from_other_roots(std::vector<Choice>& ranked, const TimeOf& time_of,
                           const Collective& call) {
  const double worth_a_look = worth_of_simulation(Time{}, call.size) == 0 ? 1 : 1.5;
  const auto knows = std::find_if(ranked.begin(), ranked.end(), [](const Choice& choice) {
    return !ignores_topology(choice.plan);
  });
  if (!schedule::has_root(call.operation) || knows == ranked.end()) return;
  const double from_0 = to_seconds(knows->predicted);
  std::optional<double> over_all;
  for (Choice& choice : ranked) {
    const double takes = to_seconds(choice.predicted);
    if (!ignores_topology(choice.plan) || takes <= 0 || takes > worth_a_look * from_0) continue;
    if (!over_all) over_all = time_over_roots(knows->plan, time_of, call);
    const double beside = time_over_roots(choice.plan, time_of, call) / *over_all;
    const double over_roots = beside / (takes / from_0);
    if (over_roots < 1.001) continue;
    choice.over_roots = over_roots;
    choice.predicted = Time{std::llround(takes * over_roots * 1e12)};
  }
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

/// @param time_of for this call @param beside for the same from other roots
std::vector<Choice> ranking_by(const std::function<Time(const Plan&)>& time_of,
                               const TimeOf& beside, const collective::Hierarchy& hierarchy,
                               const Collective& call, Bits bits, Roots roots,
                               AlgorithmTable table) {
  std::vector<Choice> ranked;
  for (Plan& plan : proposed_plans(hierarchy, call, bits, table)) {
    if (call.size > kExchangesUpTo && meets_everybody(plan, call)) continue;
    if (call.size > kEverySegmentUpTo && !has_usual_segments(plan, call)) continue;
    const Time predicted = time_of(plan);
    ranked.push_back({std::move(plan), predicted});
  }
  const auto sort = [&] {
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Choice& a, const Choice& b) { return a.predicted < b.predicted; });
  };
  sort();
  if (roots == Roots::Any) {
    look_from_other_roots(ranked, beside, call);
    sort();
  }
  for (const Choice& start : worth_tuning(ranked, call.size)) {
    Choice tuned = tuned_by_level(start, hierarchy, call, time_of);
    const auto is_same = [&](const Choice& one) {
      return build_the_same(one.plan, tuned.plan, hierarchy, call);
    };
    if (std::none_of(ranked.begin(), ranked.end(), is_same)) ranked.push_back(std::move(tuned));
  }
  sort();
  put_preferred_first(ranked, call);
  return ranked;
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
  return ranking_by(time_of, beside, hierarchy, call, bits, roots, table);
}

std::vector<Choice> ranking(const Predictor& predictor, const Collective& call, Bits bits,
                            Roots roots, AlgorithmTable table) {
  const auto time_of = [&](const Plan& plan) { return predictor(plan, call); };
  const auto beside = [&](const Plan& plan, const Collective& other) {
    return predictor.beside(plan, other);
  };
  return ranking_by(time_of, beside, predictor.hierarchy(), call, bits, roots, table);
}

}  // namespace espalier::select
