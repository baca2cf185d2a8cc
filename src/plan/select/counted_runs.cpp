#include "select/counted_runs.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"
#include "select/chooser.hpp"
#include "select/quick_irregular.hpp"
#include "select/simulated_times.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

namespace {

/// Planning may take one part in so many of the least time that calls take.
constexpr std::int64_t kWorth = 10;
/// Simulating a message takes up to 2 us (sim/budget.hpp), and as much again for so many ranks to
/// make trees and programs: 8 ms among 16 ranks with 2^12 messages, 27 among 64.
constexpr std::int64_t kOfAMessage = 2'000'000;
constexpr std::int64_t kRanksAMessage = 16;

Collective with_equal_blocks(const Collective& call) {
  Collective equal = call;
  equal.counts.assign(call.size, kUnknownBlock);
  return equal;
}

/// Of an allgatherv as of a scatterv from rank 0, but that the bytes are those that the rank with
/// the shortest block gets.
Time least_time_of_exchange(const Machine& machine, const Collective& call) {
  Time farthest{0};
  Bandwidth best{1};
  for (Rank r = 1; r < call.size; ++r) {
    const topology::Path path = machine.path(0, r);
    farthest = std::max(farthest, path.latency);
    if (best.bits_per_second < path.bandwidth.bits_per_second) best = path.bandwidth;
  }
  const auto& counts = call.counts;
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::uint64_t gets = all - *std::min_element(counts.begin(), counts.end());
  return farthest + transfer_time(Bytes{gets * call.element.value}, best);
}

/// The farthest block's latency, and all bytes at the root's best rate.
Time least_time(const Machine& machine, const Collective& call) {
  if (call.operation == Operation::Allgather) return least_time_of_exchange(machine, call);
  Time farthest{0};
  std::uint64_t total = 0;
  Bandwidth best{1};
  for (Rank r = 0; r < call.size; ++r) {
    if (r == call.root || call.counts[r] == 0) continue;
    const topology::Path path = machine.path(call.root, r);
    farthest = std::max(farthest, path.latency);
    total += call.counts[r] * call.element.value;
    if (best.bits_per_second < path.bandwidth.bits_per_second) best = path.bandwidth;
  }
  return farthest + transfer_time(Bytes{total}, best);
}

}  // namespace

std::string name_by_counts(const std::string& algorithm) { return algorithm + " by counts"; }

std::optional<std::uint64_t> planned_from(const Machine& machine, const Collective& call) {
  const std::int64_t least = least_time(machine, call).picoseconds;
  if (least <= 0) return std::nullopt;
  const Time choosing =
      call.operation == Operation::Allgather
          ? Time{kOfAMessage * static_cast<std::int64_t>(worth_of_counts(machine, call)) *
                 (1 + static_cast<std::int64_t>(call.size) / kRanksAMessage)}
          : quick_choice_time(call.size);
  const std::int64_t worth = kWorth * choosing.picoseconds;
  const auto from = static_cast<std::uint64_t>(worth / least + (worth % least != 0 ? 1 : 0));
  // The first call on a communicator may be native: a plan for the second alone is not worth it.
  return call.operation == Operation::Allgather && from == 2 ? 3 : from;
}

std::uint64_t worth_of_counts(const Machine& machine, const Collective& call) {
  return worth_of_simulation(least_time(machine, call), call.size);
}

std::string standing_algorithm(const Machine& machine, const Collective& call,
                               const IrregularConditions& conditions) {
  return quick_choice(machine, with_equal_blocks(call), conditions).plan.algorithm;
}

tree::CommTree standing_tree(const std::string& algorithm, const Machine& machine,
                             const Collective& call, const IrregularConditions& conditions) {
  return irregular_plan(algorithm, machine, with_equal_blocks(call), conditions).tree;
}

Collective with_everybody(Collective call) {
  for (std::uint64_t& length : call.counts) length = std::max<std::uint64_t>(1, length);
  return call;
}

CountedRuns counted_runs(const Machine& machine, const Collective& call,
                         const IrregularConditions& conditions) {
  expects(call.size == machine.size() && call.irregular(), "counted_runs: not such a call");
  if (call.operation == Operation::Gather) {
    IrregularChoice choice = quick_choice(machine, with_everybody(call), conditions);
    return {std::move(choice.plan), choice.predicted, kGathersUntilTree};
  }
  const auto from = planned_from(machine, call);
  std::optional<IrregularPlan> standing;
  if (!from || *from > 1) {
    const std::string algorithm = standing_algorithm(machine, call, conditions);
    standing = IrregularPlan{algorithm,
                             refitted(standing_tree(algorithm, machine, call, conditions), call,
                                      conditions.bundle_limit),
                             collective::Sending::AtOnce,
                             {},
                             {}};
  }
  if (!from) {
    const Time predicted = predict(*standing, machine, call, quick_conditions());
    return {*std::move(standing), predicted};
  }
  IrregularChoice choice = quick_choice(machine, call, conditions);
  return {std::move(choice.plan), choice.predicted, *from > 1 ? *from - 1 : 0, std::move(standing)};
}

}  // namespace espalier::select
