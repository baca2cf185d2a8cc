#pragma once

#include <span>
#include <vector>

#include "collective/hierarchy.hpp"
#include "collective/multilevel.hpp"
#include "collective/multilevel_calls.hpp"
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

/// The masters of an allgather, each with a bundle of the blocks of its tree.
struct BundleOwners {
  std::span<const Rank> masters;  ///< rising
  std::span<const double> bytes;  ///< bytes of each master's bundle
  Top top = Top::Tree;            ///< Exchange: everybody with everybody; else around a ring
};
/// For each master, when it has each master's bundle. @param ready when each has its own
[[nodiscard]] std::vector<std::vector<cost::Picos>> bundles_across(
    const BundleOwners& owners, std::span<const cost::Picos> ready,
    const cost::CostView& cost_view);
/// Adds what links and processors have to do for that.
void add_bundles_across(cost::Loads& loads, const BundleOwners& owners);

}  // namespace espalier::collective
