// Plans of calls whose blocks differ in length.
//
// How long the blocks are, not every rank knows: of gatherv and scatterv only the root does, of
// alltoallv and alltoallw each rank only its own. What all ranks know alike is the communicator, so
// that alone decides, under two assumed lengths: blocks of 1 KiB, where what counts is how often
// latencies and messages' own costs are paid, and blocks of 64 KiB, where what is carried twice
// would show, and native messages wait for handshakes. The plan is the shortest for the short ones,
// or native's own, which goes without handshakes; it must gain in one case and lose in neither. Of
// allgatherv all ranks have all counts. The length is that of the class of their mean: means from
// one power of 16 to below the next are taken for four times that power.
#include <algorithm>
#include <bit>

#include "select/chooser.hpp"
#include "select/native_model.hpp"
#include "select/ranking.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

enum class Gain { Loses, Neither, Gains };

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

std::optional<Time> Chooser::predict_native_blocks(const Collective& regular) const {
  std::optional<Time> least;
  if (regular.size > kExchangesUpTo) return least;  // the simulation would take too long
  for (const Plan& plan : plans_by(kOfBlocks, hierarchy(), regular)) {
    const Time time = predictor_(plan, regular) + handshakes(rules_.mpi, plan, predictor_, regular);
    if (!least || time < *least) least = time;
  }
  return least;
}

Decision Chooser::decide_blocks(const Collective& call) const {
  const bool is_known = call.operation == Operation::Allgather;
  const auto judge = [&](const Plan& plan) {
    const auto gain = [&](std::uint64_t bytes) {
      const Collective one = with_blocks(call, bytes);
      const auto native = predict_native_blocks(one);
      if (!native) return Gain::Loses;
      const Time planned = predictor_(plan, one);
      return planned > *native           ? Gain::Loses
             : is_gain(planned, *native) ? Gain::Gains
                                         : Gain::Neither;
    };
    const Gain given = gain(call.count);
    if (is_known) return given == Gain::Gains;
    const Gain longer = gain(kLongBlockClass);
    return given != Gain::Loses && longer != Gain::Loses &&
           (given == Gain::Gains || longer == Gain::Gains);
  };
  const Collective stands_for = with_blocks(call, call.count);
  const Choice best = best_plans(call, stands_for).front();
  Decision decision{{best}, predict_native_blocks(stands_for), judge(best.plan)};
  for (const Plan& plan : plans_by(kOfBlocks, hierarchy(), call)) {
    if (decision.gains || is_known || !decision.native || !judge(plan)) continue;
    decision.plans = {{plan, predictor_(plan, stands_for)}};
    decision.gains = true;
  }
  return decision;
}

}  // namespace espalier::select
