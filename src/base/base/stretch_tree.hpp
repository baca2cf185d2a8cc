#pragma once

#include <cstddef>
#include <vector>

namespace espalier {

/// Positions begin .. end-1; the first one speaks for all of them.
struct TreeStretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  friend bool operator==(const TreeStretch&, const TreeStretch&) = default;
};

/// A tree over positions 0 .. count-1, for telling all what the first knows and for gathering what
/// all know. The first of a stretch hands on to the first of each part of the rest, which is cut
/// into `fan` parts whose lengths differ by one at most. So every sub-tree is a stretch, and
/// neighbours, who are likely to be near each other, are mostly in one.
/// @pre stretch.size() >= 1, fan >= 1
[[nodiscard]] std::vector<TreeStretch> parts_below(const TreeStretch& stretch, std::size_t fan);

/// Who is above and below a position.
struct TreePlace {
  std::size_t parent = 0;             ///< the first position is its own parent
  TreeStretch own;                    ///< its sub-tree, itself first
  std::vector<TreeStretch> children;  ///< parts_below(own)
};
/// O(fan log count). @pre position < count, fan >= 2
[[nodiscard]] TreePlace place_in_tree(std::size_t position, std::size_t count, std::size_t fan);

/// Edges from the first position to the farthest one: at most 1 + log_fan(count).
[[nodiscard]] std::size_t depth_of_tree(std::size_t count, std::size_t fan);

}  // namespace espalier
