#pragma once

#include <cstddef>

#include "model/cost_model.hpp"

namespace espalier::group {

/// A degree for a group's tree, a segment for its collectives, and what a broadcast then takes.
struct TreeChoice {
  Rank degree = 2;
  std::size_t segment_bytes = 0;  ///< 0: whole
  Time time;
};

/// The time of a pipelined broadcast on a full k-ary tree, all messages at the cost of one between
/// the farthest ranks: (levels - 1) times the way to the last of k children, and for each further
/// segment what a vertex spends on its children. segment_bytes = 0: one segment.
[[nodiscard]] Time tree_broadcast_time(Rank members, Bytes size, Rank degree,
                                       std::size_t segment_bytes, const model::CostModel& model);

/// The fastest of degrees 2 to 16 and segments of powers of two from 256 bytes on; ties to the
/// lower degree, then to the larger segment. The same on every process.
[[nodiscard]] TreeChoice choose_tree(Rank members, Bytes size, const model::CostModel& model);

/// The same for a tree that is there already.
[[nodiscard]] TreeChoice choose_segment(Rank members, Bytes size, Rank degree,
                                        const model::CostModel& model);

}  // namespace espalier::group
