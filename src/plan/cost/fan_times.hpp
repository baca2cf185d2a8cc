#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cost/flows.hpp"

namespace espalier::cost {

/// When a segmented message arrives at a rank: `first` for its first `grain` bytes, `last` for all.
struct Stream {
  Picos first = 0;
  Picos last = 0;
  double grain = 0;
};

/// A vector's segments on one level.
struct Cut {
  double segment = 0;  ///< bytes of all segments but the last
  double count = 1;
  double rest = 0;  ///< bytes of the last segment
};

/// A rank of a tree, its parent and its children.
struct Fan {
  Rank rank = kNoRank;
  bool has_parent = false;
  std::uint32_t level = 0;                ///< level of the edge to the parent, if it has one
  std::span<const Rank> children;         ///< children are in the order of sending
  std::span<const std::uint32_t> levels;  ///< level of the edge to each child
  const Routes* routes = nullptr;         ///< routes of the edges, in the direction of the messages
  std::size_t first_route = 0;            ///< index of the route of the first child
  const Crossings* crossings = nullptr;   ///< messages of the tree at the time of this fan
  std::span<const double> vectors = {};   ///< number of vectors from each child; empty: one
};

/// Times of a vector that goes from a rank of a tree to its children, or from them to it. The
/// formulas stand at TreePrediction.
class FanTimes {
 public:
  /// @param segments bytes a message on each level; 0: whole
  FanTimes(const CostView& cost_view, double bytes, std::span<const double> segments);

  [[nodiscard]] const Cut& cut(std::uint32_t level) const { return cuts_[level]; }
  /// Segments of the level that has most of them.
  [[nodiscard]] double most_segments() const;
  [[nodiscard]] bool pipelined() const { return pipelined_; }

  /// @param here what the rank has @param out filled in: what each child has
  void down(const Fan& fan, const Stream& here, std::span<Stream> out);
  /// @param in what each child has @return what the rank has combined of all
  [[nodiscard]] Stream up(const Fan& fan, std::span<const Stream> in);

 private:
  [[nodiscard]] Picos there(const Stream& stream, double bytes) const;
  void settle(const Fan& fan, bool upwards);

  const CostView& cost_view_;
  double bytes_;
  std::vector<Cut> cuts_;
  bool pipelined_ = false;
  FlowSharing sharing_;
  std::vector<Flow> flows_;  // one segment to or from each child
  std::vector<Flow> whole_;  // the same with all their bytes
  std::vector<Flow> tails_;  // the last segments
  std::vector<std::pair<Picos, std::size_t>> arrivals_;
};

}  // namespace espalier::cost
