#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::bound {

/// What must cross the border of a set of ranks, in elements, whatever the plan.
struct Crossing {
  std::uint64_t out = 0;
  std::uint64_t in = 0;
  std::uint64_t both = 0;  ///< need of a half-duplex link: no less than out + in
  friend bool operator==(const Crossing&, const Crossing&) = default;
};

/// What a set must give away is what the outputs outside depend on: as many elements as there are
/// independent ones, if every value may occur and elements cannot be compressed. Of plain copies
/// each element is one; of a reduction one partial result does for all ranks outside that need the
/// same ranks of the set. In a scan each run of ranks outside that follows a run of the set needs
/// another one.
///
/// Reductions that do not commute: `both` is at least the number of maximal runs R of consecutive
/// ranks on the side without the root. Proof: the result is a binary tree over the ranks in order;
/// each step of it happens on one of the sides, each edge between sides is a partial result that
/// crosses. Cut there, the tree falls into (crossings + 1) connected pieces, whose leaves are a
/// partition of the ranks without crossings. Walking round the ranks, with the root's side before
/// the first and after the last, such a partition of k + 1 pieces changes pieces at most 2 k times,
/// and sides change 2 R times. So crossings >= R. It is not true that all R go one way: the root's
/// side may send its own runs out and get larger ones back.
/// @param inside for each rank, whether it is in the set; neither all nor none are
[[nodiscard]] Crossing crossing(const schedule::Collective& call, const std::vector<bool>& inside);

/// crossing() of many sets of ranks of one call. A set takes as long as it has ranks, not as all
/// ranks; an irregular alltoall takes longer.
class Crossings {
 public:
  /// @pre the call outlives it
  explicit Crossings(const schedule::Collective& call);
  /// @param set neither all ranks nor none, each once, in any order
  [[nodiscard]] Crossing of(std::span<const Rank> set);

 private:
  const schedule::Collective& call_;
  std::uint64_t blocks_ = 0;  ///< elements of all blocks
  std::vector<bool> inside_;  ///< [rank] false between two questions
};

/// Whether what `from` holds changes what `to` ends with (or lets it go, for a barrier).
[[nodiscard]] bool depends(const schedule::Collective& call, Rank from, Rank to);

/// Elements that must be combined with others, by all ranks together: a result of k contributions
/// takes k - 1 steps, wherever they happen.
[[nodiscard]] std::uint64_t combinations(const schedule::Collective& call);

/// Where data begins or ends, as far as ways are concerned.
[[nodiscard]] bool flows_from_root(schedule::Operation operation);
[[nodiscard]] bool flows_to_root(schedule::Operation operation);

}  // namespace espalier::bound
