#include "select/chooser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/float_environment.hpp"
#include "base/units.hpp"
#include "select/native_model.hpp"
#include "select/ranking.hpp"
#include "select/segments.hpp"
#include "select/simulated_times.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

/// A plan for blocks of different lengths is spelled out from every rank's part
/// (runtime/element_program.hpp): above this that takes too long, and it is done only if it must
/// be.
constexpr Rank kUnequalBlocksUpTo = 1024;

/// A plan is tried only if it is predicted to take at most this many times what it is compared
/// with.
constexpr double kWorthTrying = 1.3;

PlanChoice native(std::string why) { return {"native", std::move(why)}; }

/// Bytes of the vector, or of a block; the mean if blocks differ.
Bytes mean_bytes(const Collective& call) {
  if (!call.irregular()) return Bytes{call.count * call.element.value};
  const std::uint64_t sum =
      std::accumulate(call.counts.begin(), call.counts.end(), std::uint64_t{0});
  return Bytes{sum / call.counts.size() * call.element.value};
}

/// Whether segments mean anything to its plans.
bool is_cut(const Collective& call) {
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Reduce:
    case Operation::Allreduce:
      return true;
    case Operation::ReduceScatter:
      return !call.irregular();  // units of irregular calls are blocks
    default:
      return false;
  }
}

/// Whether a length of the blocks is assumed (choose_blocks.cpp).
bool has_assumed_blocks(const Collective& call) {
  return call.irregular() && call.operation != Operation::ReduceScatter &&
         !is_chosen_by_counts(call);
}

std::vector<std::uint64_t> bytes_of_counts(const Collective& call) {
  std::vector<std::uint64_t> bytes = call.counts;
  for (std::uint64_t& count : bytes) count *= call.element.value;
  return bytes;
}

/// The regular call that stands for its class: the least of its sizes, elements of one byte.
Collective representative(const Collective& call, Rank root) {
  Collective one = call;
  one.root = root;
  one.element = Bytes{1};
  one.count = least_of_class(size_class(mean_bytes(call))).value;
  one.counts.clear();
  return one;
}

/// The longest call of the class of a regular one.
Collective longest_of_class(const Collective& call) {
  Collective longest = call;
  const Bytes next = least_of_class(size_class(mean_bytes(call)) + 1);
  longest.count = std::max(call.count, (next.value - 1) / call.element.value);
  return longest;
}

sim::SimOptions simulated_as(const Transport& transport) {
  sim::SimOptions options;
  options.eager_limit = Bytes{transport.eager_bytes};
  return options;
}

ClassKey class_of(const Collective& call) {
  const bool has_roots = schedule::has_root(call.operation) && !has_assumed_blocks(call);
  ClassKey key{call.operation,   has_roots ? call.root : 0, size_class(mean_bytes(call)),
               call.commutative, has_few_elements(call),    call.irregular()};
  if (is_chosen_by_counts(call)) key.counts = bytes_of_counts(call);
  return key;
}

std::string text_of(const ClassKey& key) {
  return fmt::format("{} {} {} {} {} {} {}", schedule::name_of(key.operation), key.root,
                     key.size_class, key.commutative, key.few_elements, key.irregular,
                     fmt::join(key.counts, ","));
}

}  // namespace

bool is_chosen_by_counts(const Collective& call) {
  if (call.operation != Operation::Allgather || !call.irregular()) return false;
  if (call.size > kChosenByCountsUpTo) return false;
  const auto differs = [&](std::uint64_t count) { return count != call.counts.front(); };
  return std::any_of(call.counts.begin(), call.counts.end(), differs);
}

Collective with_assumed_blocks(const Collective& call) {
  Collective known = call;
  known.element = Bytes{1};
  known.count =
      call.operation == Operation::Allgather ? block_class(mean_bytes(call).value) : kUnknownBlock;
  known.counts.assign(call.size, known.count);
  return known;
}

bool is_gain(Time planned, Time native) {
  return planned.picoseconds < native.picoseconds - native.picoseconds / 20;
}

bool is_uneven(const topology::Machine& machine) {
  if (machine.clusters().size() > 1) return true;
  const auto sends = [&](Rank rank) -> const topology::Cost& { return machine.costs(rank).send; };
  for (Rank rank = 1; rank < machine.size(); ++rank) {
    if (&sends(rank) != &sends(0) && sends(rank) != sends(0)) return true;
  }
  return false;
}

std::uint32_t size_class(Bytes bytes) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(bytes.value));
  if (bits < 3) return static_cast<std::uint32_t>(bytes.value);
  return 4 * (bits - 2) + static_cast<std::uint32_t>((bytes.value >> (bits - 3)) & 3U);
}

Bytes least_of_class(std::uint32_t size_class) {
  if (size_class < 4) return Bytes{size_class};
  return Bytes{std::uint64_t{4 + size_class % 4} << (size_class / 4 - 1)};
}

Chooser::Chooser(const collective::Hierarchy& hierarchy, Rules rules, SharedDecisions share,
                 AlgorithmTable table)
    : predictor_([&] {
        const DefaultFloats floats;
        return Predictor(hierarchy, rules.transport);
      }()),
      rules_(std::move(rules)),
      share_(std::move(share)),
      table_(table) {}

const Decision& Chooser::decide(const Collective& call) {
  const ClassKey key = class_of(call);
  const auto found = decided_.find(key);
  if (found != decided_.end()) return found->second;
  if (decided_.size() >= kMost) decided_.clear();
  const DefaultFloats floats;
  // Whether a root has a choice of its own must not depend on how many roots came before:
  // communicators with the same members share a chooser, and their calls may come in another order
  // on another rank.
  const bool serves_all_roots = call.size > kOwnRootsUpTo && key.root != 0;
  const auto make = [&]() -> Decision {
    if (is_chosen_by_counts(call)) return decide_by_counts(call);
    if (has_assumed_blocks(call)) return decide_blocks(call);
    if (!serves_all_roots) return look_for_best(call, key.root);
    Collective from_0 = call;
    from_0.root = 0;
    return seen_from(decide(from_0), representative(call, call.root), key.few_elements);
  };
  Decision made = share_ ? share_(text_of(key), make) : make();
  return decided_.emplace(key, std::move(made)).first->second;
}

std::vector<Choice> Chooser::ranked(const Collective& call, Roots roots,
                                    const std::function<bool(const Plan&)>& serves) const {
  if (!rules_.budget && worth_of_simulation(Time{}, call.size) == 0) {
    return leaders(predictor_, call, rules_.bits, roots, table_, serves);
  }
  std::vector<Choice> all = ranking(predictor_, call, rules_.bits, roots, table_);
  if (rules_.budget) {
    return ranked_by_simulation(std::move(all), hierarchy(), call, *rules_.budget);
  }
  if (all.empty()) return all;  // a table whose algorithms all refuse the call
  const std::uint64_t worth = worth_of_simulation(all.front().predicted, call.size);
  SimulatedTimes times(hierarchy(), call, worth, simulated_as(rules_.transport));
  SimulatedTimes reserve(hierarchy(), call, worth, simulated_as(rules_.transport));
  all = settled_by_simulation(std::move(all), times, reserve);
  const Collective longest = longest_of_class(call);
  SimulatedTimes at_end(hierarchy(), longest, worth, simulated_as(rules_.transport));
  settle_for_class(all, at_end);
  put_preferred_first(all, call);
  return all;
}

std::vector<Choice> Chooser::best_plans(const Collective& call,
                                        const Collective& stands_for) const {
  const bool own =
      call.size <= kOwnRootsUpTo && schedule::has_root(call.operation) && !has_assumed_blocks(call);
  // An irregular call needs a plan that takes blocks of any length.
  const auto can_serve = [&](const Plan& plan) { return can_do(plan, hierarchy(), call); };
  const auto serves = [&](const Choice& choice) { return can_serve(choice.plan); };
  const std::vector<Choice> all = ranked(stands_for, own ? Roots::Own : Roots::Any, can_serve);
  const auto first = std::find_if(all.begin(), all.end(), serves);
  std::vector<Choice> best{first == all.end() ? all.front() : *first};
  for (const Choice& choice : all) {
    if (!serves(choice) || are_alike(choice.plan, best.front().plan)) continue;
    best.push_back(choice);
    break;
  }
  return best;
}

Decision Chooser::look_for_best(const Collective& call, Rank root) const {
  const Collective one = representative(call, root);
  Collective alike = call;  // any call of the class: may only tell which plans serve
  alike.root = root;
  alike.element = Bytes{1};
  if (alike.irregular()) alike.counts.assign(alike.size, one.count);
  Decision decision;
  decision.plans = best_plans(alike, one);
  if (is_cut(call) && !rules_.budget) {
    for (Choice& choice : decision.plans) {
      SimulatedTimes times(hierarchy(), one, worth_of_simulation(choice.predicted, one.size) / 2,
                           simulated_as(rules_.transport));
      choice.plan = with_usable_segments(
          choice.plan, one, rules_.transport, [&](const Plan& plan) { return times.of(plan); },
          [&](const Plan& plan) { return predictor_.affordable(plan, one); });
    }
  }
  return seen_from(std::move(decision), one, has_few_elements(call));
}

/// The decision with times for a class with another root: trees by number cross slow levels more
/// often from some roots.
Decision Chooser::seen_from(Decision decision, const Collective& call, bool few_elements) const {
  for (Choice& choice : decision.plans) {
    // Lower bounds would flatter a plan: what cannot be told takes as long as from root 0.
    const bool is_told = predictor_.affordable(choice.plan, call).has_value();
    if (is_told || choice.plan.algorithm->about != nullptr) {
      choice.predicted = predictor_.told(choice.plan, call);
    }
  }
  const Time best = decision.plans.front().predicted;
  const bool by_bound = worth_of_simulation(Time{}, call.size) == 0;
  decision.native =
      predict_native(rules_.mpi, predictor_, call, few_elements, by_bound ? best : Time{0});
  decision.gains = !decision.native || is_gain(best, *decision.native) ||
                   (is_flattered(rules_.mpi, hierarchy()) && best <= *decision.native);
  return decision;
}

PlanChoice Chooser::choose(const Collective& call, WhichPlan which) {
  const bool in_order = rules_.bits == Bits::Reference && reduces(call.operation);
  const auto named = rules_.named.find(call.operation);
  const bool is_named = named != rules_.named.end();
  const bool by_counts = call.irregular() && is_named && tree_by_counts(named->second).has_value();
  const bool must_plan = rules_.force || in_order || which != WhichPlan::ByPrediction || by_counts;
  if (is_named && !in_order) {
    // A plan that cannot do this call leaves it to the usual choice.
    if (auto plan = plan_named(named->second, hierarchy(), call, table_)) {
      std::string name = name_of(*plan, call);
      return {std::move(name), "named by ESPALIER_ALGORITHM", {}, {}, std::move(plan)};
    }
  }
  const auto has_form = [&](const Algorithm* one) { return has_form_of(*one, call); };
  if (std::none_of(table_.begin(), table_.end(), has_form)) {
    return native("no plan for this operation");
  }
  if (!must_plan && !is_uneven(hierarchy().machine())) return native("all ranks are equally near");
  const bool assumes = has_assumed_blocks(call);
  if (!must_plan && call.irregular() && !assumes && call.size > kUnequalBlocksUpTo) {
    return native("blocks of different lengths on too many ranks");
  }
  const Collective known = assumes ? with_assumed_blocks(call) : call;
  const Decision& decision = decide(known);
  const bool is_second = which == WhichPlan::RunnerUp;
  if (is_second && decision.plans.size() < 2) return native("no other plan");
  const Choice& choice = decision.plans[is_second ? 1 : 0];
  if (!must_plan && !decision.gains) {
    return {"native", "no gain predicted", choice.predicted, decision.native};
  }
  Plan plan = in_elements(choice.plan, Bytes{1}, known.element);
  std::string why = is_second ? "the next best by prediction" : "the shortest predicted time";
  // Then the plan gains only because Open MPI may not take the algorithm that is predicted.
  const bool by_lengths = is_chosen_by_counts(call);
  const bool is_tie = !is_second && !assumes && !by_lengths && decision.gains && decision.native &&
                      !is_gain(choice.predicted, *decision.native);
  if (is_tie) why = "at least as fast as the best algorithm that Open MPI may take";
  if (by_lengths) why += " for these lengths";
  if (assumes) why += " for blocks of about " + to_string(Bytes{known.count});
  if (assumes && call.operation == Operation::Allgather) {
    why += fmt::format(" (as for all means from {} to {})", to_string(Bytes{known.count / 4}),
                       to_string(Bytes{known.count * 4}));
  }
  const std::uint64_t scales_to = call.irregular() ? 0 : uncut_up_to(plan);
  return {name_of(plan, call), std::move(why),  choice.predicted,
          decision.native,     std::move(plan), scales_to};
}

std::vector<Alternative> Chooser::alternatives(const Collective& call) {
  const DefaultFloats floats;
  const PlanChoice usual = choose(call);
  std::vector<Alternative> all;
  const auto add = [&](WhichPlan which, const PlanChoice& choice) {
    all.push_back({which, choice.name, choice.predicted});
  };
  const auto is_near = [](const PlanChoice& choice, const std::optional<Time>& beside) {
    if (!choice.planned() || !beside) return choice.planned();
    return choice.predicted && to_seconds(*choice.predicted) <= kWorthTrying * to_seconds(*beside);
  };
  const Alternative native{std::nullopt, "native", usual.native_predicted};
  if (usual.planned()) {
    add(WhichPlan::Best, usual);
    all.push_back(native);
    const PlanChoice second = choose(call, WhichPlan::RunnerUp);
    if (is_near(second, usual.predicted)) add(WhichPlan::RunnerUp, second);
    return all;
  }
  all.push_back(native);
  // As choose(): a list of lengths would be planned on all ranks in each call.
  if (call.irregular() && !has_assumed_blocks(call) && call.size > kUnequalBlocksUpTo) return all;
  const PlanChoice best = choose(call, WhichPlan::Best);
  const bool is_even = !is_uneven(hierarchy().machine());
  if (best.planned() && (is_even || is_near(best, native.predicted))) add(WhichPlan::Best, best);
  return all;
}

}  // namespace espalier::select
