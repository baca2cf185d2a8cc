#include "runtime/choose_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "collective/multilevel_calls.hpp"
#include "runtime/count_planner.hpp"
#include "runtime/segments.hpp"
#include "select/candidates.hpp"
#include "select/speed_tree.hpp"

namespace espalier::runtime {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

namespace {

PlanChoice native(std::string why) { return {"native", std::move(why), {}, {}, {}, 0}; }

/// A plan for blocks of different lengths is spelled out from every rank's part
/// (element_program.hpp): above this that takes too long, and it is done only if it must be.
constexpr Rank kUnequalBlocksUpTo = 1024;

/// Bytes of the vector, or of a block; the mean if blocks differ.
Bytes bytes_of(const Collective& call) {
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

/// "binomial 16 KiB" asks for "binomial" where messages are too short to be cut.
std::string without_segment(const std::string& name) {
  const std::size_t unit = name.rfind(' ');
  const std::size_t number =
      unit == std::string::npos || unit == 0 ? unit : name.rfind(' ', unit - 1);
  return number == std::string::npos ? name : name.substr(0, number);
}

/// Nothing if that algorithm cannot do this call (an operation that does not commute, a number of
/// ranks it does not serve).
std::optional<PlanChoice> forced(const Hierarchy& hierarchy, const Collective& call,
                                 const std::string& name) {
  const auto kept = std::make_shared<const Collective>(call);
  for (const std::string& wanted : {name, without_segment(name)}) {
    auto it = select::candidate_called(wanted, hierarchy, *kept);
    if (!it) continue;
    return PlanChoice{it->name,
                      "named by ESPALIER_ALGORITHM",
                      {},
                      {},
                      [kept, build = it->program_of](Rank rank) { return build(rank); },
                      0};
  }
  return std::nullopt;
}

}  // namespace

bool is_gain(Time planned, Time native) {
  return planned.picoseconds < native.picoseconds - native.picoseconds / 20;
}

bool is_uneven(const topology::Machine& machine) {
  return machine.clusters().size() > 1 || select::has_unequal_senders(machine);
}

std::uint32_t size_class(Bytes bytes) {
  return static_cast<std::uint32_t>(std::bit_width(bytes.value));
}

const Planner::Decision& Planner::decide(const Collective& call) {
  const std::uint32_t bits = size_class(bytes_of(call));
  // The choice must not depend on how many roots came before: communicators with the same members
  // share a planner, and their calls may come in another order on another rank.
  const bool own = call.size <= kOwnRootsUpTo && schedule::has_root(call.operation);
  const select::Roots roots = own ? select::Roots::Own : select::Roots::Any;
  const Rank root = own ? call.root : 0;
  const Key key{call.operation, bits, call.commutative, call.irregular(), root};
  const auto found = decided_.find(key);
  if (found != decided_.end()) return found->second;
  if (decided_.size() >= kMost) decided_.clear();
  Collective one = call;  // stands for its class, and for all roots if none has its own choice
  one.root = root;
  one.element = Bytes{1};
  one.count = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
  if (one.irregular()) one.counts.assign(one.size, one.count);
  Decision decision{chooser_.choose(one, roots).plan, std::nullopt, one, call.irregular()};
  if (auto second = chooser_.runner_up(one, roots)) decision.second = std::move(second->plan);
  decision.stands_for.counts.clear();
  const auto make_usable = [&](select::Plan& plan) {
    plan = with_usable_segments(plan, chooser_, hierarchy_.machine(), decision.stands_for);
  };
  if (is_cut(call) && !chooser_.simulates()) {
    make_usable(decision.plan);
    if (decision.second) make_usable(*decision.second);
  }
  return decided_.emplace(key, std::move(decision)).first->second;
}

const Planner::Outlook& Planner::outlook(const Decision& decision, WhichPlan which, Rank root) {
  Collective one = decision.stands_for;
  const bool is_second = which == WhichPlan::RunnerUp;
  const std::tuple key{one.operation,          one.count, one.commutative,
                       decision.blocks_differ, is_second, root};
  const auto found = outlooks_.find(key);
  if (found != outlooks_.end()) return found->second;
  if (outlooks_.size() >= kMost) outlooks_.clear();
  one.root = root;
  const Outlook made{chooser_.predict(is_second ? *decision.second : decision.plan, one),
                     predict_native(mpi_, hierarchy_, chooser_, one)};
  return outlooks_.emplace(key, made).first->second;
}

PlanChoice Planner::choose(const Collective& call, const Settings& settings, WhichPlan which) {
  const bool in_order = bits_ == select::Bits::Reference && reduces(call.operation);
  const bool by_counts = call.irregular() && tree_named(settings, call.operation).has_value();
  const bool must_plan =
      settings.force || in_order || which != WhichPlan::ByPrediction || by_counts;
  const auto named = settings.algorithm.find(call.operation);
  if (named != settings.algorithm.end() && !in_order) {
    if (auto choice = forced(hierarchy_, call, named->second)) return std::move(*choice);
  }
  if (!collective::multilevel_supports(call)) return native("no plan for this operation");
  if (!must_plan && !is_uneven(hierarchy_.machine())) return native("one level only");
  if (call.irregular() && call.operation != Operation::ReduceScatter) {
    return choose_blocks(call, settings,
                         by_counts && which == WhichPlan::ByPrediction ? WhichPlan::Best : which);
  }
  if (!must_plan && call.irregular() && call.size > kUnequalBlocksUpTo) {
    return native("blocks of different lengths on too many ranks");
  }
  const Decision& decision = decide(call);
  const bool is_second = which == WhichPlan::RunnerUp;
  if (is_second && !decision.second) return native("no other plan");
  const Outlook& times = outlook(decision, which, call.root);
  if (!must_plan && times.native && !is_gain(times.planned, *times.native) &&
      !(is_flattered(mpi_, hierarchy_.machine()) && times.planned <= *times.native)) {
    return {"native", "no gain predicted", times.planned, times.native, {}, 0};
  }
  const select::Plan plan =
      in_elements(is_second ? *decision.second : decision.plan, Bytes{1}, call.element);
  return {name_of(plan, call),
          is_second ? "the next best by prediction" : "the shortest predicted time",
          times.planned,
          times.native,
          [&hierarchy = hierarchy_, call, plan](Rank rank) {
            return own_part(plan, hierarchy, call, rank);
          },
          call.irregular() ? 0 : uncut_up_to(plan)};
}

}  // namespace espalier::runtime
