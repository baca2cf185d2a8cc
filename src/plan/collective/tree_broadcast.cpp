#include <algorithm>

#include "collective/tree_links.hpp"

namespace espalier::collective {

TreeLinks links_of(const tree::CommTree& tree, Rank rank, std::uint64_t segment) {
  TreeLinks links;
  if (rank != tree.root()) links.parent = {tree.parent(rank), segment};
  for (Rank c = tree.first_child(rank); c != kNoRank; c = tree.next_sibling(c)) {
    links.children.push_back({c, segment});
  }
  return links;
}

using schedule::ProgramBuilder;
using schedule::Region;

std::uint64_t segment_count(const Region& region, std::uint64_t segment) {
  if (segment == 0 || region.length == 0) return 1;
  return (region.length + segment - 1) / segment;
}

Region segment_of(const Region& region, std::uint64_t segment, std::uint64_t s) {
  if (segment == 0) return region;
  Region part = region;
  part.offset += s * segment;
  part.length = std::min(segment, region.length - std::min(region.length, s * segment));
  return part;
}

void tree_broadcast(ProgramBuilder& program, const TreeLinks& links, const Region& region) {
  std::vector<std::uint64_t> sent(links.children.size(), 0);
  // To each child all segments that lie within what is here by now, children in their order.
  const auto pass_on = [&](std::uint64_t here) {
    for (std::size_t c = 0; c < links.children.size(); ++c) {
      const TreeEdge& child = links.children[c];
      const std::uint64_t segments = segment_count(region, child.segment);
      while (sent[c] < segments) {
        const Region part = segment_of(region, child.segment, sent[c]);
        if (part.offset + part.length > here) break;
        program.send(child.peer, part);
        ++sent[c];
      }
    }
  };
  if (links.parent.peer == kNoRank) {
    // Segment by segment rather than child by child, or the last child would wait for all others.
    std::uint64_t step = region.length;
    for (const TreeEdge& child : links.children) {
      if (child.segment != 0) step = std::min(step, child.segment);
    }
    for (std::uint64_t here = std::min(step, region.length);; here += step) {
      pass_on(region.offset + std::min(here, region.length));
      if (here >= region.length) return;
    }
  }
  const std::uint64_t segments = segment_count(region, links.parent.segment);
  for (std::uint64_t s = 0; s < segments; ++s) {
    const Region part = segment_of(region, links.parent.segment, s);
    program.recv(links.parent.peer, part);
    pass_on(part.offset + part.length);
  }
}

}  // namespace espalier::collective
