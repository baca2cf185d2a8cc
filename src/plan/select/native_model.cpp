#include "select/native_model.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "select/chooser.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

bool fits(const NativeRule& rule, const Collective& call, bool few_elements) {
  const std::uint64_t bytes = call.count * call.element.value;
  return rule.operation == call.operation && bytes <= rule.most_bytes &&
         bytes * call.size <= rule.most_of_all && call.size >= rule.least_ranks &&
         call.size <= rule.most_ranks && (!rule.power_of_two || std::has_single_bit(call.size)) &&
         (!rule.few_elements || few_elements);
}

/// What is left of a plan's time without its bytes: latencies.
/// @param exact whether all ranks may be walked over
Time latencies_of(const Plan& plan, const Predictor& predictor, const Collective& call,
                  bool exact) {
  Collective empty = call;
  // One byte for each part that a vector may be cut into, or for each block.
  empty.count = collective::has_blocks(call.operation) ? 1 : empty.size;
  empty.element = Bytes{1};
  return exact ? predictor(plan, empty) : predictor.told(plan, empty);
}

std::uint64_t longest_message(const Plan& plan, const Collective& call) {
  const std::uint64_t bytes = call.count * call.element.value;  // the vector, or one block
  switch (plan.algorithm->traits.longest) {
    case collective::LongestMessage::Whole:
      return bytes;
    case collective::LongestMessage::Half:
      return bytes / 2;
    case collective::LongestMessage::Piece:
      return bytes / call.size;
    case collective::LongestMessage::HalfOfAll:
      return bytes * call.size / 2;
  }
  return bytes;
}

/// The algorithms that the MPI library may choose.
std::vector<Plan> native_plans(NativeMpi mpi, const collective::Hierarchy& hierarchy,
                               const Collective& call, bool few_elements) {
  if (mpi == NativeMpi::Mpich) {
    const auto first =
        std::find_if(std::begin(kOfMpich), std::end(kOfMpich),
                     [&](const auto& rule) { return fits(rule, call, few_elements); });
    auto plan =
        first == std::end(kOfMpich) ? std::nullopt : plan_named(first->plan, hierarchy, call);
    if (plan) return {*std::move(plan)};
  }
  return plans_by(kUsual, hierarchy, call);
}

}  // namespace

bool has_few_elements(const Collective& call) {
  const bool goes_by_elements =
      (call.operation == Operation::Reduce || call.operation == Operation::Allreduce);
  return goes_by_elements && !call.irregular() &&
         call.count * call.element.value > kShortReduction &&
         call.count < std::bit_floor(call.size);
}

std::vector<Plan> plans_by(std::span<const NativeRule> rules,
                           const collective::Hierarchy& hierarchy, const Collective& call,
                           AlgorithmTable table) {
  std::vector<Plan> plans;
  for (const NativeRule& rule : rules) {
    if (!fits(rule, call, has_few_elements(call))) continue;
    if (auto plan = plan_named(rule.plan, hierarchy, call, table))
      plans.push_back(*std::move(plan));
  }
  return plans;
}

/// Whole messages have them on all ways; halves do in algorithms that halve again and again, as
/// long as it matters; a scatter has them, but not the ring that comes after it.
Time handshakes(NativeMpi mpi, const Plan& plan, const Predictor& predictor, const Collective& call,
                bool exact) {
  if (!predictor.hierarchy().shape().reaches_far) return {};
  const Transport transport = transport_of(mpi);
  if (transport.is_eager(longest_message(plan, call))) return {};
  const auto scatter = plan.algorithm->traits.scatters_first
                           ? plan_named("binomial", predictor.hierarchy(), call)
                           : std::nullopt;
  const Time ways = latencies_of(scatter.value_or(plan), predictor, call,
                                 exact || predictor.may_walk(plan, call));
  return transport.handshake_latencies * ways;
}

std::optional<NativeChoice> native_choice(NativeMpi mpi, const Predictor& predictor,
                                          const Collective& call) {
  std::optional<NativeChoice> best;
  for (const Plan& plan : native_plans(mpi, predictor.hierarchy(), call, has_few_elements(call))) {
    const Time extra = handshakes(mpi, plan, predictor, call);
    const Time time = predictor(plan, call) + extra;
    if (!best || time < best->predicted) best = NativeChoice{plan, time, extra};
  }
  return best;
}

bool is_flattered(NativeMpi mpi, const collective::Hierarchy& hierarchy) {
  return mpi == NativeMpi::OpenMpi && hierarchy.shape().reaches_far;
}

std::optional<Time> predict_native(NativeMpi mpi, const Predictor& predictor,
                                   const Collective& call, bool few_elements, Time best) {
  std::vector<Plan> plans = native_plans(mpi, predictor.hierarchy(), call, few_elements);
  if (best > Time{0} && !plans.empty()) {
    Time bound = kForever;
    for (const Plan& plan : plans) bound = std::min(bound, predictor.at_least(plan, call));
    if (is_gain(best, bound)) return bound;
  }
  if (best > Time{0}) {  // the lowest bound first, so that others need no prediction
    std::stable_sort(plans.begin(), plans.end(), [&](const Plan& a, const Plan& b) {
      return predictor.at_least(a, call) < predictor.at_least(b, call);
    });
  }
  std::optional<Time> least;
  for (const Plan& plan : plans) {
    if (least && best > Time{0} && predictor.at_least(plan, call) >= *least) continue;
    const bool exact = best == Time{0};
    const Time time = (exact ? predictor(plan, call) : predictor.told(plan, call)) +
                      handshakes(mpi, plan, predictor, call, exact);
    if (!least || time < *least) least = time;
  }
  return least;
}

}  // namespace espalier::select
