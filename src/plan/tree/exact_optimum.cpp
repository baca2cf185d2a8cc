#include "tree/exact_optimum.hpp"

#include <algorithm>
#include <vector>

#include "base/contract.hpp"
#include "tree/exact/deadline_search.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/tree_time.hpp"

namespace espalier::tree {
namespace {

/// When the last would be served if all but the root were as fast as the fastest of them: then all
/// orders are alike, and FNF's is as good as any.
Time if_all_were_fastest(std::span<const Time> send_cost, const Participants& who,
                         std::span<const Rank> fastest_first) {
  std::vector<Time> costs(send_cost.begin(), send_cost.end());
  for (const Rank r : who.others) costs[r] = send_cost[fastest_first.front()];
  return initiation_time(list_schedule(costs, who, fastest_first), costs);
}

/// The ranks in the order of their classes; those that the order does not reach follow, fastest
/// first.
std::vector<Rank> order_of_ranks(const exact::Instance& instance,
                                 std::span<const std::uint32_t> class_order,
                                 std::span<const Rank> fastest_first) {
  std::vector<std::size_t> next;
  std::vector<std::size_t> end;
  std::size_t at = 0;
  for (const exact::SpeedClass& c : instance.classes) {
    next.push_back(at);
    end.push_back(at += c.count);
  }
  std::vector<Rank> order;
  for (const std::uint32_t c : class_order) order.push_back(fastest_first[next[c]++]);
  for (std::size_t c = 0; c < next.size(); ++c) {
    while (next[c] < end[c]) order.push_back(fastest_first[next[c]++]);
  }
  return order;
}

}  // namespace

double ExactResult::gap() const {
  if (proven()) return 0;
  return static_cast<double>((value - lower_bound).picoseconds) /
         static_cast<double>(lower_bound.picoseconds);
}

// The problem: M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on
// heterogeneous networks of workstations", ICPP 1998, section 5, solved there in O(N^2 4^N). Here:
// is there a schedule by this deadline? asked for ever closer deadlines, each answered by a search
// over lists (Lemma 1) of speed classes under the bound of exact/potential.hpp.
ExactResult exact_optimum(std::span<const Time> send_cost, const Participants& who,
                          const ExactLimits& limits) {
  const auto began = exact::SearchBudget::Clock::now();
  expects_valid(who);
  expects(send_cost.size() == who.machine_size, "exact_optimum: not one cost for each rank");
  const std::vector<Rank> fastest_first = others_fastest_first(send_cost, who);
  ExactResult result{list_schedule(send_cost, who, fastest_first), {}, {}, ExactEnd::Proven, 0, 0};
  result.value = initiation_time(result.tree, send_cost);
  if (fastest_first.empty()) return result;
  result.lower_bound = if_all_were_fastest(send_cost, who, fastest_first);
  if (result.proven()) return result;
  if (result.value.picoseconds > kForever.picoseconds / 4) {  // sums of times would not fit
    result.end = ExactEnd::TooLarge;
    return result;
  }

  std::vector<Time> costs;
  for (const Rank r : fastest_first) costs.push_back(send_cost[r]);
  const exact::Instance instance =
      exact::instance_of(send_cost[who.root], costs, /*deadline=*/result.value);
  const Time tick = instance.tick;
  const exact::Ticks lower = result.lower_bound.picoseconds / tick.picoseconds;
  const exact::Ticks upper = result.value.picoseconds / tick.picoseconds;
  const bool searchable = who.count() <= kExactSearchable;
  exact::SearchBudget budget(limits.search_steps, limits.wall_clock
                                                      ? std::optional(began + *limits.wall_clock)
                                                      : std::nullopt);
  const exact::DeadlineRange range = searchable
                                         ? exact::search_deadlines(instance, lower, upper, budget)
                                         : exact::raise_lower_bound(instance, lower, upper);
  if (range.order) {
    const std::vector<Rank> order = order_of_ranks(instance, *range.order, fastest_first);
    result.tree = with_faster_parents(list_schedule(send_cost, who, order), send_cost);
    result.value = initiation_time(result.tree, send_cost);
  }
  result.lower_bound = std::max(result.lower_bound, range.lower * tick);
  expects(result.lower_bound <= result.value, "exact_optimum: a bound above what has been found");
  result.end = result.proven()        ? ExactEnd::Proven
               : !searchable          ? ExactEnd::TooLarge
               : budget.out_of_time() ? ExactEnd::OutOfTime
                                      : ExactEnd::OutOfSteps;
  result.search_steps = budget.used();
  result.decisions = range.decisions;
  return result;
}

}  // namespace espalier::tree
