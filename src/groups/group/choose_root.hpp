#pragma once

#include "group/root_way.hpp"
#include "model/cost_model.hpp"

namespace espalier::group {

/// Broadcasts or reductions with one root.
struct RootUse {
  Rank root = 0;
  Bytes size;
  std::uint32_t calls = 1;
  std::size_t segment_bytes = 0;  ///< 0: whole
  bool settled = false;           ///< as in SplitOptions: a construction ends with a barrier
};

/// What all the calls take one way, with what has to be made first. Estimated, from what every
/// member knows, so all decide alike: all messages cost as between the farthest ranks; a depth that
/// only the root knows (Numbering::Preorder) counts as the least height.
[[nodiscard]] Time root_time(RootWay way, const GroupView& view, const RootUse& use,
                             const model::CostModel& model);

/// The fastest way; ties to the earlier one of the enumeration.
/// @pre use.root < view.size
[[nodiscard]] RootWay choose_root(const GroupView& view, const RootUse& use,
                                  const model::CostModel& model);

}  // namespace espalier::group
