#include "base/stretch_tree.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier {

std::vector<TreeStretch> parts_below(const TreeStretch& stretch, std::size_t fan) {
  expects(stretch.size() >= 1 && fan >= 1, "parts_below: an empty stretch, or no fan");
  const std::size_t rest = stretch.size() - 1;
  const std::size_t count = std::min(fan, rest);
  std::vector<TreeStretch> parts;
  std::size_t at = stretch.begin + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = rest / count + (i < rest % count ? 1 : 0);
    parts.push_back({at, at + length});
    at += length;
  }
  return parts;
}

TreePlace place_in_tree(std::size_t position, std::size_t count, std::size_t fan) {
  expects(position < count && fan >= 2, "place_in_tree: no such position");
  TreePlace place{0, {0, count}, {}};
  while (true) {
    place.children = parts_below(place.own, fan);
    if (place.own.begin == position) return place;
    const auto below = std::find_if(place.children.begin(), place.children.end(),
                                    [&](const TreeStretch& part) { return position < part.end; });
    place.parent = place.own.begin;
    place.own = *below;
  }
}

std::size_t depth_of_tree(std::size_t count, std::size_t fan) {
  expects(count >= 1 && fan >= 2, "depth_of_tree: nobody");
  std::size_t depth = 0;
  for (TreeStretch longest{0, count}; longest.size() > 1; ++depth) {
    longest = parts_below(longest, fan).front();  // the first parts are the longest
  }
  return depth;
}

}  // namespace espalier
