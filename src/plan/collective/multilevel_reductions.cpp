#include "collective/allreduce.hpp"
#include "collective/multilevel_call.hpp"
#include "collective/ordered_reduce.hpp"
#include "collective/tree_gather.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Region;
using schedule::slice;

/// @param result at the root, where it goes; the others may lend it a place to combine in
void MultilevelCall::reduce_to(Rank root, const Region& result) {
  const TreeLinks mine = links(root);
  if (call_.commutative) return tree_reduce(program_, mine, in_, result);
  ordered_reduce(program_, finest(mine), runs_of_children(mine, root, 0), in_,
                 rank_ == root ? result : Region{});
}

std::vector<std::vector<RankRun>> MultilevelCall::runs_of_children(const TreeLinks& mine, Rank root,
                                                                   std::uint32_t from_level) const {
  std::vector<std::vector<RankRun>> runs;
  for (const TreeEdge& child : mine.children) {
    runs.push_back(runs_of(subtree(root, child.peer, from_level)));
  }
  return runs;
}

/// Ordered reductions cut all edges alike: at the finest of all levels.
TreeLinks MultilevelCall::finest(TreeLinks links) const {
  std::uint64_t least = 0;
  for (const LevelChoice& level : choice_.levels) {
    if (level.segment != 0 && (least == 0 || level.segment < least)) least = level.segment;
  }
  links.parent.segment = least;
  for (TreeEdge& child : links.children) child.segment = least;
  return links;
}

void MultilevelCall::allreduce() {
  if (choice_.top == Top::Tree) {
    reduce_to(0, out_);
    tree_broadcast(program_, links(0), out_);
    return;
  }
  const TreeLinks mine = links(0, 1);
  if (!call_.commutative) {
    exchange_in_order(mine);
  } else {
    tree_reduce(program_, mine, in_, out_);
    const Participants masters = top_masters();
    if (masters.me < masters.size()) {
      direct_exchange(program_, masters, out_, choice_.levels.front().segment);
    }
  }
  tree_broadcast(program_, mine, out_);
}

/// Masters have one partial result for each run of their ranks; all combine all of them.
void MultilevelCall::exchange_in_order(const TreeLinks& mine) {
  const RunSlots slots =
      ordered_reduce_to_runs(program_, finest(mine), runs_of_children(mine, 0, 1), in_);
  const Participants masters = top_masters();
  if (masters.me == masters.size()) return;
  std::vector<std::vector<RankRun>> runs;
  for (const Rank master : masters.ranks) runs.push_back(runs_of(subtree(0, master, 1)));
  const std::uint64_t segment = choice_.levels.front().segment;
  for (std::uint64_t s = 0; s < segment_count(out_, segment); ++s) {
    const Region part = segment_of(out_, segment, s);
    const VectorShare share{part.offset, part.length};
    exchange_runs(
        program_, masters, runs, slots, [&](Rank) -> const VectorShare& { return share; }, part);
  }
}

/// All blocks reduced to rank 0 and scattered from there, or to the masters, who exchange what
/// belongs to each other's ranks: the first sends all blocks up across the outermost channel and
/// down again, the second each block once from each other cluster.
void MultilevelCall::reduce_scatter() {
  const std::uint64_t block = call_.block();
  if (choice_.top == Top::Tree) {
    const TreeLinks mine = links(0);
    const std::uint64_t room = program_.scratch(rank_ == 0 ? in_.length : 0);
    const Region all = slice(Buffer::Scratch, room, rank_ == 0 ? in_.length : 0);
    reduce_to(0, all);
    const auto below = bundles(mine, 0, 0);
    if (rank_ == 0) return scatter_from_root(program_, mine, below, all, block, out_);
    return scatter_down(program_, mine, below, out_);
  }
  const TreeLinks mine = links(0, 1);
  const Participants masters = top_masters();
  const RunSlots slots = reduce_to_masters(mine);
  const auto below = bundles(mine, 0, 1);
  if (masters.me == masters.size()) return scatter_down(program_, mine, below, out_);
  std::vector<std::vector<RankRun>> runs;
  std::vector<VectorShare> shares;
  for (const Rank master : masters.ranks) {
    const std::vector<Rank> ranks = subtree(0, master, 1);
    shares.push_back({0, block, schedule::IndexSet{ranks}});
    // What commutes is one partial result, of however many runs.
    runs.push_back(call_.commutative ? std::vector<RankRun>{{master, master}} : runs_of(ranks));
  }
  const std::uint64_t units = shares[masters.me].indices.size() * block;
  const std::uint64_t room = program_.scratch(units);
  exchange_runs(
      program_, masters, runs, slots, [&](Rank p) { return shares[p]; },
      slice(Buffer::Scratch, room, units));
  scatter_packed(program_, mine, below, room, out_);
}

RunSlots MultilevelCall::reduce_to_masters(const TreeLinks& mine) {
  if (!call_.commutative) {
    return ordered_reduce_to_runs(program_, finest(mine), runs_of_children(mine, 0, 1), in_);
  }
  const bool is_master = mine.parent.peer == kNoRank;
  if (is_master && mine.children.empty()) {
    return {Buffer::In, 0, 0, schedule::IndexSet::single(0)};
  }
  const std::uint64_t units = is_master ? in_.length : 0;
  const Region sum = slice(Buffer::Scratch, program_.scratch(units), units);
  tree_reduce(program_, mine, in_, sum);
  return {Buffer::Scratch, sum.offset, 0, schedule::IndexSet::single(0)};
}

}  // namespace espalier::collective
