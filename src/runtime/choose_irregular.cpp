// Plans of calls whose blocks differ in length.
//
// How long the blocks are, not every rank knows: of gatherv and scatterv only the root does, of
// alltoallv and alltoallw each rank only its own. What all ranks know alike is the communicator, so
// that alone decides, under two assumed lengths: a plan must be the shortest for blocks of 1 KiB
// and gain over native there, where what counts is how often latencies and messages' own costs are
// paid; and it must not lose to native for blocks of 64 KiB, where what it carries twice would
// show. Of allgatherv all ranks have all counts: their mean, up to a power of 16, is the length.
#include <algorithm>
#include <bit>

#include "base/units.hpp"
#include "runtime/choose_plan.hpp"

namespace espalier::runtime {

using schedule::Collective;
using schedule::Operation;

namespace {

/// What MPICH 4.0 and Open MPI 4.1 have for these calls: gatherv and scatterv go straight between
/// root and everybody, the others by the algorithms of their regular forms, of which the best is
/// taken.
std::vector<select::Plan> native_plans(Operation operation) {
  const auto classical = [](const char* name) { return select::Plan(select::Classical{name}); };
  switch (operation) {
    case Operation::Gather:
    case Operation::Scatter:
      return {classical("linear")};
    case Operation::Allgather:
      return {classical("ring"), classical("recursive-doubling"), classical("bruck"),
              classical("neighbour-exchange")};
    case Operation::Alltoall:
      return {classical("direct"), classical("pairwise")};
    default:
      return {};
  }
}

/// A regular call of such blocks, which predictions are for.
Collective with_blocks(const Collective& call, std::uint64_t bytes) {
  Collective one = call;
  one.root = 0;
  one.count = bytes;
  one.counts.clear();
  return one;
}

}  // namespace

std::uint64_t block_class(std::uint64_t mean_bytes) {
  const auto bits = static_cast<unsigned>(std::bit_width(mean_bytes | 1U)) - 1;
  return std::uint64_t{4} << (bits / 4 * 4);
}

std::optional<Time> Planner::predict_native_blocks(const Collective& regular) const {
  std::optional<Time> least;
  if (regular.size > select::kExchangesUpTo) return least;  // that takes too long
  for (const select::Plan& plan : native_plans(regular.operation)) {
    if (!can_do(plan, hierarchy_, regular)) continue;
    const Time time = chooser_.predict(plan, regular);
    if (!least || time < *least) least = time;
  }
  return least;
}

const Planner::BlockDecision& Planner::decide_blocks(const Collective& call) {
  const auto key = std::make_pair(call.operation, call.count);
  const auto found = block_decisions_.find(key);
  if (found != block_decisions_.end()) return found->second;
  const bool is_known = call.operation == Operation::Allgather;
  const select::Choice choice = chooser_.choose(call);
  const auto gains = [&](std::uint64_t bytes, bool clearly) {
    const Collective one = with_blocks(call, bytes);
    const auto native = predict_native_blocks(one);
    const Time planned = chooser_.predict(choice.plan, one);
    return native && (clearly ? is_gain(planned, *native) : planned <= *native);
  };
  BlockDecision decision{choice.plan, choice.predicted,
                         predict_native_blocks(with_blocks(call, call.count)), false};
  decision.gains = gains(call.count, true) && (is_known || gains(kLongBlock, false));
  return block_decisions_.emplace(key, std::move(decision)).first->second;
}

PlanChoice Planner::choose_blocks(const Collective& call, const Settings& settings) {
  const BlockDecision& decision = decide_blocks(call);
  if (!settings.force && !decision.gains) {
    return {"native", "no gain predicted", decision.predicted, decision.native, {}, 0};
  }
  return {name_of(decision.plan, call),
          "the shortest predicted time for blocks of about " + to_string(Bytes{call.count}),
          decision.predicted,
          decision.native,
          [&hierarchy = hierarchy_, call, plan = decision.plan](Rank rank) {
            return own_part(plan, hierarchy, call, rank);
          },
          0};
}

}  // namespace espalier::runtime
