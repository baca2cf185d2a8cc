#include <bit>

#include "collective/binomial_place.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/messages.hpp"
#include "collective/multilevel_time.hpp"
#include "cost/bundles.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void binomial_gather(ProgramBuilder& program, const Participants& participants, Rank root,
                     const Region& own, const BlockLayout& all) {
  const Participants tree = rotated(participants, root);
  const BinomialPlace place = binomial_place(tree.me, tree.size());
  if (place.parent != kNoRank && place.children.empty()) {
    send_unless_empty(program, tree.at(place.parent), own);
    return;
  }
  // Blocks root .. P-1, 0 .. root-1 are positions 0 .. P-1 of the tree.
  const bool is_root = place.parent == kNoRank;
  const std::uint64_t bundle = is_root ? 0 : all.units(participants.me, place.span);
  const std::uint64_t scratch = program.scratch(bundle);
  const auto region = [&](Rank position, Rank span) {
    if (is_root) return all.region(program, root + position, span);
    return slice(Buffer::Scratch, scratch + all.units(participants.me, position - tree.me),
                 all.units(root + position, span));
  };
  copy_unless_empty(program, own, region(tree.me, 1));
  // The smallest sub-tree is ready first.
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
    recv_unless_empty(program, tree.at(child->position), region(child->position, child->span));
  }
  if (!is_root) {
    send_unless_empty(program, tree.at(place.parent), slice(Buffer::Scratch, scratch, bundle));
  }
}

void binomial_gather_in_place(ProgramBuilder& program, const Participants& participants, Rank root,
                              const BlockLayout& all) {
  const Participants tree = rotated(participants, root);
  const BinomialPlace place = binomial_place(tree.me, tree.size());
  for (auto child = place.children.rbegin(); child != place.children.rend(); ++child) {
    recv_unless_empty(program, tree.at(child->position),
                      all.region(program, root + child->position, child->span));
  }
  if (place.parent != kNoRank) {
    send_unless_empty(program, tree.at(place.parent),
                      all.region(program, participants.me, place.span));
  }
}

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

namespace {

constexpr Algorithm with_folded_estimate(Algorithm algorithm) {
  algorithm.estimate_folded = [](const FoldedMachine& machine, const schedule::Collective& call,
                                 const Parameters&) {
    return folded_binomial_time(0, machine, call);
  };
  return algorithm;
}

}  // namespace

constexpr Algorithm kBinomialGather = with_folded_estimate(
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           binomial_gather(program, call.participants, call.root, call.in(), call.out_blocks());
         },
         [](FlatEstimate& at) {
           return gather_time(at.cost_view, at.tree(Shape::Binomial), at.bytes);
         },
         [](LeastFlat& at) { return least_bundles(at, at.bytes, false); }>(
        Operation::Gather, "binomial", kThakur, kBundles));

constexpr Algorithm kBinomialScatter = with_folded_estimate(
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           binomial_scatter(program, call.participants, call.root, call.in_blocks(), call.out());
         },
         [](FlatEstimate& at) {
           return scatter_time(at.cost_view, at.tree(Shape::Binomial), at.bytes);
         },
         [](LeastFlat& at) { return least_bundles(at, at.bytes, true); }>(
        Operation::Scatter, "binomial", kThakur, kBundles));

}  // namespace espalier::collective
