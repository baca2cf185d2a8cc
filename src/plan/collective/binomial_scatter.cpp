#include "collective/binomial_scatter.hpp"

#include "collective/binomial_place.hpp"
#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void binomial_scatter(ProgramBuilder& program, const Participants& participants, Rank root,
                      const BlockLayout& all, const Region& own) {
  const Participants tree = rotated(participants, root);
  const BinomialPlace place = binomial_place(tree.me, tree.size());
  if (place.parent != kNoRank && place.children.empty()) {
    recv_unless_empty(program, tree.at(place.parent), own);
    return;
  }
  const bool is_root = place.parent == kNoRank;
  const std::uint64_t bundle = is_root ? 0 : all.units(participants.me, place.span);
  const std::uint64_t scratch = program.scratch(bundle);
  const auto region = [&](Rank position, Rank span) {
    if (is_root) return all.region(program, root + position, span);
    return slice(Buffer::Scratch, scratch + all.units(participants.me, position - tree.me),
                 all.units(root + position, span));
  };
  if (!is_root) {
    recv_unless_empty(program, tree.at(place.parent), slice(Buffer::Scratch, scratch, bundle));
  }
  for (const BinomialPlace::Child& child : place.children) {
    send_unless_empty(program, tree.at(child.position), region(child.position, child.span));
  }
  copy_unless_empty(program, region(tree.me, 1), own);
}

void binomial_scatter_in_place(ProgramBuilder& program, const Participants& participants, Rank root,
                               const BlockLayout& all) {
  const Participants tree = rotated(participants, root);
  const BinomialPlace place = binomial_place(tree.me, tree.size());
  if (place.parent != kNoRank) {
    recv_unless_empty(program, tree.at(place.parent),
                      all.region(program, participants.me, place.span));
  }
  for (const BinomialPlace::Child& child : place.children) {
    send_unless_empty(program, tree.at(child.position),
                      all.region(program, root + child.position, child.span));
  }
}

}  // namespace espalier::collective
