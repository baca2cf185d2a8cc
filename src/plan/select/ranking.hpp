#pragma once

#include <functional>
#include <vector>

#include "select/candidates.hpp"
#include "select/predict.hpp"
#include "select/rank_by_simulation.hpp"

namespace espalier::select {

/// With more ranks, plans in which each rank meets all others are not considered.
inline constexpr Rank kExchangesUpTo = 4096;

/// With more ranks, only two segment sizes are predicted before the best is tuned level by level.
inline constexpr Rank kEverySegmentUpTo = 64;

/// Which roots a choice must serve.
enum class Roots : std::uint8_t {
  Own,  ///< the call's own root
  Any,  ///< all roots: predicted from root 0, plans by number from other roots too
};

/// All candidates by predicted time, the fastest first; ties stay in the order of candidates().
/// Exceptions:
/// - The best multilevel plan is also entered tuned level by level (tuned_by_level()); on few ranks
///   also the best with other trees on the outermost level.
/// - A tree that knows the machine goes first if it is within 1 % of the fastest.
/// - A plan that sends every block straight to its target goes first if it is within 0.5 % of the
///   fastest: most machines have no figure for the copies that other plans make.
[[nodiscard]] std::vector<Choice> ranking(const collective::Hierarchy& hierarchy,
                                          const CostView& cost_view,
                                          const schedule::Collective& call, Bits bits = Bits::Any,
                                          Roots roots = Roots::Own,
                                          AlgorithmTable table = algorithms());

/// The same; what the predictor predicts for this call it remembers.
[[nodiscard]] std::vector<Choice> ranking(const Predictor& predictor,
                                          const schedule::Collective& call, Bits bits = Bits::Any,
                                          Roots roots = Roots::Own,
                                          AlgorithmTable table = algorithms());

/// The best of the ranking: as many plans as it takes until two serve that differ in more than
/// their segments, in the order of ranking(). Plans whose lower bound shows that they come later
/// are left out without a prediction, and may be missing among the others that are returned.
/// @pre worth_of_simulation() is 0 for so many ranks: else plans that come later are simulated
[[nodiscard]] std::vector<Choice> leaders(const Predictor& predictor,
                                          const schedule::Collective& call, Bits bits, Roots roots,
                                          AlgorithmTable table,
                                          const std::function<bool(const Plan&)>& serves);

/// Moves a plan to the front that is preferred to the fastest, as above.
void put_preferred_first(std::vector<Choice>& ranked, const schedule::Collective& call);

/// Changes tree shape and segment size of one level after the other, the outermost first, while the
/// predicted time falls. Of postal trees those are tried that fit the level's figures
/// (collective/postal_shape.hpp). At most kRounds * levels * (shapes + segments) predictions.
/// @param time_of the predicted time of a plan
/// @param at_least a lower bound of it, which saves predictions; null: none is known
[[nodiscard]] Choice tuned_by_level(Choice start, const collective::Hierarchy& hierarchy,
                                    const schedule::Collective& call,
                                    const std::function<Time(const Plan&)>& time_of,
                                    const std::function<Time(const Plan&)>& at_least = {});

}  // namespace espalier::select
