#include "collective/links.hpp"

namespace espalier::collective {

Links links_of(const tree::CommTree& tree, Rank rank, std::uint64_t segment) {
  Links links;
  if (rank != tree.root()) links.parent = {tree.parent(rank), segment};
  for (Rank c = tree.first_child(rank); c != kNoRank; c = tree.next_sibling(c)) {
    links.children.push_back({c, segment});
  }
  return links;
}

}  // namespace espalier::collective
