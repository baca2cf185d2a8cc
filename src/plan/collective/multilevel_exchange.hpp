#pragma once

#include <span>
#include <vector>

#include "collective/hierarchy.hpp"
#include "cost/predict_tree.hpp"

namespace espalier::collective {

// What the masters of the outermost clusters do if each of them meets every other: estimates.

/// Everybody's partial result to everybody, segment by segment.
/// @param streams by rank: what each master has, and has afterwards
/// @param segment bytes a message; 0: whole
void exchange_streams(std::vector<cost::Stream>& streams, double segment, double bytes,
                      const cost::CostView& cost_view, const Hierarchy& hierarchy);
/// How long that keeps links and processors busy.
[[nodiscard]] cost::Loads exchange_loads(double segment, double bytes,
                                         const cost::CostView& cost_view,
                                         const Hierarchy& hierarchy);
/// When each master has everybody's partial result for the ranks of its own tree.
/// @param streams by rank: what each master has, not before `earliest`
/// @param trees by rank: number of ranks of each master's tree, a block each
[[nodiscard]] cost::Picos exchange_blocks(std::span<const cost::Stream> streams,
                                          cost::Picos earliest, std::span<const double> trees,
                                          double block, const cost::CostView& cost_view,
                                          const Hierarchy& hierarchy);

}  // namespace espalier::collective
