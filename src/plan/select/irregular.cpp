#include "select/irregular.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "model/cost_model.hpp"
#include "model/machine_models.hpp"
#include "model/time_reversed.hpp"
#include "select/quick_irregular.hpp"
#include "sim/simulate.hpp"
#include "tree/irregular_algorithm.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/local_search.hpp"
#include "tree/tree_time.hpp"

namespace espalier::select {
namespace {

using collective::IrregularTree;
using collective::Sending;
using schedule::Collective;
using schedule::Operation;
using topology::Machine;

/// Where pieces may gain: bundles of several of them.
constexpr std::array<std::uint64_t, 3> kPieces{16 * 1024, 64 * 1024, 256 * 1024};

class Ranking {
 public:
  Ranking(const Machine& machine, const Collective& call, const IrregularConditions& conditions,
          ScheduleTimes& times)
      : machine_(machine), call_(call), conditions_(conditions), times_(times) {}

  /// @param chosen is not simulated again; none: all are
  std::vector<IrregularChoice> run(const IrregularChoice* chosen) && {
    for (const tree::IrregularAlgorithm& algorithm : tree::irregular_algorithms()) {
      if (call_.size > algorithm.quick_up_to) continue;
      IrregularPlan plan = irregular_plan(algorithm.name, machine_, call_, conditions_);
      const Time estimate = by_model(plan);
      choices_.push_back({plan, estimate, false});
      plan.sending = Sending::OneByOne;
      choices_.push_back({std::move(plan), estimate, false});
    }
    std::size_t known = choices_.size();
    if (chosen != nullptr) known = put(*chosen);
    for (const std::size_t index : order_of_simulation()) {
      if (index == known) continue;
      IrregularChoice& choice = choices_[index];
      const auto time = simulated(choice.plan);
      if (time) choice = {std::move(choice.plan), *time, true};
    }
    sort();
    add_pieces();
    sort();
    add_searched();
    sort();
    prefer_simple();
    return std::move(choices_);
  }

 private:
  /// In the place of the plan of that name, or behind all. Returns its index.
  std::size_t put(const IrregularChoice& chosen) {
    const std::string name = name_of(chosen.plan);
    const auto same = std::find_if(choices_.begin(), choices_.end(), [&](const auto& choice) {
      return name_of(choice.plan) == name;
    });
    if (same == choices_.end()) {
      choices_.push_back(chosen);
      return choices_.size() - 1;
    }
    *same = chosen;
    return static_cast<std::size_t>(same - choices_.begin());
  }
  Time by_model(const IrregularPlan& plan) const {
    const model::Levels levels(machine_);
    const model::CostModel& model = conditions_.model != nullptr ? *conditions_.model : levels;
    const std::vector<Bytes> bytes = bytes_of(call_);
    return plan.setup + (call_.operation == Operation::Gather
                             ? gather_time(plan.tree, model, bytes)
                             : scatter_time(plan.tree, model, bytes));
  }

  /// Indices into choices_: what a quick choice looks at, then the others by the model.
  [[nodiscard]] std::vector<std::size_t> order_of_simulation() const {
    std::vector<std::size_t> order(choices_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t index) {
      const IrregularPlan& plan = choices_[index].plan;
      const bool is_quick =
          plan.sending == Sending::AtOnce && is_in_quick_choice(plan.algorithm, call_.size);
      return std::pair(is_quick ? Time{0} : choices_[index].predicted, !is_quick);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
  }

  std::optional<Time> simulated(const IrregularPlan& plan) {
    // Each rank of the tree but the root gets or gives one message at least.
    const Rank members = tree::with_blocks(bytes_of(call_), call_.root).count();
    if (times_.left() + 1 < members) return std::nullopt;
    const auto finish = times_.of(schedule_of(plan, call_));
    if (!finish) return std::nullopt;
    return plan.setup + *finish;
  }
  void add_if_simulated(IrregularPlan plan) {
    if (const auto time = simulated(plan)) choices_.push_back({std::move(plan), *time, true});
  }
  void sort() {
    std::stable_sort(choices_.begin(), choices_.end(), [](const auto& a, const auto& b) {
      return std::pair(!a.is_simulated, a.predicted) < std::pair(!b.is_simulated, b.predicted);
    });
  }
  /// A search finds what the simulator is wrong about too: less than 1 % is no gain.
  void prefer_simple() {
    if (choices_.empty() || !choices_.front().is_simulated) return;
    const Time near = lengthened(choices_.front().predicted, 100);
    const auto end = std::find_if(choices_.begin(), choices_.end(), [&](const auto& choice) {
      return !choice.is_simulated || choice.predicted > near;
    });
    const auto key = [](const IrregularChoice& choice) {
      return std::tuple(choice.plan.tree.height(), choice.plan.piece.value != 0,
                        choice.plan.algorithm == "searched", choice.predicted);
    };
    std::stable_sort(choices_.begin(), end,
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
  }
  void add_pieces() {
    constexpr std::size_t kBest = 3;
    std::vector<IrregularPlan> best;
    for (const IrregularChoice& choice : choices_) {
      const bool direct = choice.plan.tree.height() < 2;  // nobody passes anything on
      const bool is_there = std::any_of(best.begin(), best.end(), [&](const IrregularPlan& plan) {
        return plan.tree == choice.plan.tree;
      });
      if (best.size() < kBest && !direct && !is_there && choice.is_simulated) {
        best.push_back(choice.plan);
      }
    }
    for (IrregularPlan& plan : best) {
      plan.sending = Sending::AtOnce;
      for (const std::uint64_t piece : kPieces) {
        plan.piece = Bytes{piece};
        add_if_simulated(plan);
      }
    }
  }
  void add_searched() {
    if (choices_.empty() || !choices_.front().is_simulated) return;
    IrregularPlan plan = choices_.front().plan;
    // The search asks for the time of its start too, and its end is simulated once more.
    const std::uint64_t each = std::max<std::uint64_t>(1, plan.tree.member_count() - 1);
    const std::uint64_t most = times_.left() / each;
    const auto trials = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(conditions_.trials, most < 2 ? 0 : most - 2));
    if (trials == 0) return;
    const std::vector<Bytes> bytes = bytes_of(call_);
    IrregularPlan trial = plan;
    trial.setup = Time{0};
    const auto time = [&](const tree::CommTree& tree) {
      if (largest_bundle(tree, bytes) > conditions_.bundle_limit) return kForever;
      trial.tree = tree;
      return simulated(trial).value_or(kForever);
    };
    plan.tree = improved(plan.tree, time, {trials, conditions_.seed});
    plan.algorithm = "searched";
    plan.setup = Time{0};
    add_if_simulated(std::move(plan));
  }

  const Machine& machine_;
  const Collective& call_;
  const IrregularConditions& conditions_;
  ScheduleTimes& times_;
  std::vector<IrregularChoice> choices_;
};

}  // namespace

std::vector<Bytes> bytes_of(const Collective& call) {
  std::vector<Bytes> bytes;
  bytes.reserve(call.counts.size());
  for (const std::uint64_t count : call.counts) bytes.push_back({count * call.element.value});
  return bytes;
}

std::string name_of(const IrregularPlan& plan) {
  if (plan.sending == Sending::OneByOne) return plan.algorithm + " one by one";
  if (plan.piece.value == 0) return plan.algorithm;
  return fmt::format("{} in pieces of {}", plan.algorithm, to_string(plan.piece));
}

schedule::Schedule schedule_of(const IrregularPlan& plan, const Collective& call) {
  const IrregularTree programs(plan.tree, call, plan.sending, plan.piece);
  schedule::Schedule schedule{call, name_of(plan), {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(programs.program_of(r));
  return schedule;
}

sim::SimOptions smpi_conditions(const Machine& machine) {
  constexpr Rank kExactUpTo = 256;
  sim::SimOptions options;
  options.ordered_pairs = false;
  options.shares_by_latency = true;
  if (machine.size() > kExactUpTo) options.sharing = sim::Sharing::OneBottleneck;
  return options;
}

sim::SimOptions conditions_under(NativeMpi mpi, const Machine& machine) {
  sim::SimOptions options = smpi_conditions(machine);
  if (mpi != NativeMpi::Mpich && mpi != NativeMpi::OpenMpi) return options;
  options.ordered_pairs = true;
  options.shares_by_latency = false;
  options.eager_limit = Bytes{transport_of(mpi).eager_bytes};
  return options;
}

IrregularPlan irregular_plan(std::string_view algorithm, const Machine& machine,
                             const Collective& call, const IrregularConditions& conditions) {
  const tree::IrregularAlgorithm* builder = tree::find_irregular_algorithm(algorithm);
  expects(builder != nullptr, "irregular_plan: there is no such algorithm");
  expects(call.size == machine.size() && call.irregular(), "irregular_plan: not such a call");
  const std::vector<Bytes> bytes = bytes_of(call);
  const tree::Participants who = tree::with_blocks(bytes, call.root);
  const model::Levels levels(machine);
  const model::CostModel& forward = conditions.model != nullptr ? *conditions.model : levels;
  expects(forward.size() == machine.size(), "irregular_plan: a model of other ranks");
  // Ranks that are alike on the machine may differ under another model.
  std::vector<Rank> kinds;
  if (conditions.model == nullptr) kinds = model::kinds_of(machine);
  const model::TimeReversed reversed(forward);
  const bool gathers = call.operation == Operation::Gather;
  const model::CostModel& model =
      gathers ? static_cast<const model::CostModel&>(reversed) : forward;
  IrregularPlan plan{std::string(algorithm),
                     tree::with_bounded_bundles(builder->build({who, bytes, model, kinds}, machine),
                                                bytes, conditions.bundle_limit),
                     Sending::AtOnce, Bytes{0}, Time{0}};
  if (algorithm == "traeff-distributed") {
    plan.setup = tree::traeff_distributed_setup(bytes, call.root, forward);
  }
  return plan;
}

Time predict(const IrregularPlan& plan, const Machine& machine, const Collective& call,
             const sim::SimOptions& options) {
  return plan.setup + sim::simulate(schedule_of(plan, call), machine, options).finish;
}

std::vector<IrregularChoice> irregular_ranking(const Machine& machine, const Collective& call,
                                               const IrregularConditions& conditions) {
  ScheduleTimes times(machine, conditions.sim, conditions.messages);
  return Ranking(machine, call, conditions, times).run(nullptr);
}

std::vector<IrregularChoice> irregular_ranking(const Machine& machine, const Collective& call,
                                               const IrregularConditions& conditions,
                                               ScheduleTimes& times,
                                               const IrregularChoice& chosen) {
  return Ranking(machine, call, conditions, times).run(&chosen);
}

}  // namespace espalier::select
