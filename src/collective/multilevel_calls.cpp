#include "collective/multilevel_calls.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collective/exchange.hpp"
#include "collective/exchange_runs.hpp"
#include "collective/multilevel_alltoall.hpp"
#include "collective/multilevel_scan.hpp"
#include "collective/ordered_reduce.hpp"
#include "collective/tree_broadcast.hpp"
#include "collective/tree_gather.hpp"
#include "collective/tree_reduce.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

class Call {
 public:
  Call(const Hierarchy& hierarchy, const MultilevelChoice& choice, const Collective& call,
       Rank rank)
      : hierarchy_(hierarchy),
        choice_(choice),
        call_(call),
        rank_(rank),
        in_(slice(Buffer::In, 0, units_in(call, rank))),
        out_(slice(Buffer::Out, 0, units_out(call, rank))),
        program_(rank) {}

  Program build() && {
    switch (call_.operation) {
      case Operation::Broadcast:
        tree_broadcast(program_, links(call_.root), out_);
        break;
      case Operation::Reduce:
        reduce_to(call_.root, rank_ == call_.root ? out_ : Region{});
        break;
      case Operation::Allreduce:
        allreduce();
        break;
      case Operation::Barrier:
        barrier();
        break;
      case Operation::Gather:
        gather();
        break;
      case Operation::Scatter:
        scatter();
        break;
      case Operation::Allgather:
        allgather();
        break;
      case Operation::Alltoall:
        alltoall();
        break;
      case Operation::ReduceScatter:
        reduce_scatter();
        break;
      case Operation::Scan:
      case Operation::Exscan:
        multilevel_scan(program_, hierarchy_, choice_.levels, call_.operation == Operation::Scan,
                        in_, out_);
        break;
    }
    return std::move(program_).build();
  }

 private:
  [[nodiscard]] Links links(Rank root, std::uint32_t from_level = 0) const {
    return multilevel_links(hierarchy_, choice_.levels, root, rank_, from_level);
  }
  [[nodiscard]] std::vector<Rank> subtree(Rank root, Rank of, std::uint32_t from_level = 0) const {
    return multilevel_subtree(hierarchy_, choice_.levels, root, of, from_level);
  }

  /// @param result at the root, where it goes; the others may lend it a place to combine in
  void reduce_to(Rank root, const Region& result) {
    const Links mine = links(root);
    if (call_.commutative) return tree_reduce(program_, mine, in_, result);
    ordered_reduce(program_, finest(mine), runs_of_children(mine, root, 0), in_,
                   rank_ == root ? result : Region{});
  }
  [[nodiscard]] std::vector<std::vector<RankRun>> runs_of_children(const Links& mine, Rank root,
                                                                   std::uint32_t from_level) const {
    std::vector<std::vector<RankRun>> runs;
    for (const Link& child : mine.children) {
      runs.push_back(runs_of(subtree(root, child.peer, from_level)));
    }
    return runs;
  }
  /// Ordered reductions cut all edges alike: at the finest of all levels.
  [[nodiscard]] Links finest(Links links) const {
    std::uint64_t least = 0;
    for (const LevelChoice& level : choice_.levels) {
      if (level.segment != 0 && (least == 0 || level.segment < least)) least = level.segment;
    }
    links.parent.segment = least;
    for (Link& child : links.children) child.segment = least;
    return links;
  }

  /// The masters of the outermost clusters, in the order of the lowest rank they speak for.
  [[nodiscard]] Team top_masters() const {
    Team team;
    team.ranks = hierarchy_.masters_of_members(0, 0);
    std::sort(team.ranks.begin(), team.ranks.end());
    const auto me = std::find(team.ranks.begin(), team.ranks.end(), rank_);
    team.me = static_cast<Rank>(me - team.ranks.begin());
    return team;
  }

  void allreduce() {
    if (choice_.top == Top::Tree) {
      reduce_to(0, out_);
      tree_broadcast(program_, links(0), out_);
      return;
    }
    const Links mine = links(0, 1);
    if (!call_.commutative) {
      exchange_in_order(mine);
    } else {
      tree_reduce(program_, mine, in_, out_);
      const Team masters = top_masters();
      if (masters.me < masters.size()) {
        direct_exchange(program_, masters, out_, choice_.levels.front().segment);
      }
    }
    tree_broadcast(program_, mine, out_);
  }

  /// Masters have one partial result for each run of their ranks; all combine all of them.
  void exchange_in_order(const Links& mine) {
    const RunSlots slots =
        ordered_reduce_to_runs(program_, finest(mine), runs_of_children(mine, 0, 1), in_);
    const Team masters = top_masters();
    if (masters.me == masters.size()) return;
    std::vector<std::vector<RankRun>> runs;
    for (const Rank master : masters.ranks) runs.push_back(runs_of(subtree(0, master, 1)));
    const std::uint64_t segment = choice_.levels.front().segment;
    for (std::uint64_t s = 0; s < segment_count(out_, segment); ++s) {
      const Region part = segment_of(out_, segment, s);
      const Share share{part.offset, part.length};
      exchange_runs(
          program_, masters, runs, slots, [&](Rank) { return share; }, part);
    }
  }

  /// All blocks reduced to rank 0 and scattered from there, or to the masters, who exchange what
  /// belongs to each other's ranks: the first sends all blocks up across the outermost channel and
  /// down again, the second each block once from each other cluster.
  void reduce_scatter() {
    const std::uint64_t block = call_.block();
    if (choice_.top == Top::Tree) {
      const Links mine = links(0);
      const std::uint64_t room = program_.scratch(rank_ == 0 ? in_.length : 0);
      const Region all = slice(Buffer::Scratch, room, rank_ == 0 ? in_.length : 0);
      reduce_to(0, all);
      const auto below = bundles(mine, 0, 0);
      if (rank_ == 0) return scatter_from_root(program_, mine, below, all, block, out_);
      return scatter_down(program_, mine, below, out_);
    }
    const Links mine = links(0, 1);
    const Team masters = top_masters();
    const RunSlots slots = reduce_to_masters(mine);
    const auto below = bundles(mine, 0, 1);
    if (masters.me == masters.size()) return scatter_down(program_, mine, below, out_);
    std::vector<std::vector<RankRun>> runs;
    std::vector<Share> shares;
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
  RunSlots reduce_to_masters(const Links& mine) {
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

  void barrier() {
    const bool exchange = choice_.top == Top::Exchange;
    const Links mine = links(0, exchange ? 1 : 0);
    for (const Link& child : mine.children) program_.recv(child.peer, {});
    program_.fence();
    if (mine.parent.peer != kNoRank) {
      program_.send(mine.parent.peer, {});
      program_.fence();
      program_.recv(mine.parent.peer, {});
    } else if (exchange) {
      direct_exchange_barrier(program_, top_masters());
    }
    program_.fence();
    for (const Link& child : mine.children) program_.send(child.peer, {});
  }

  /// The bundle of each child of the tree, in the order in which it is packed.
  [[nodiscard]] std::vector<std::vector<Rank>> bundles(const Links& mine, Rank root,
                                                       std::uint32_t from_level) const {
    std::vector<std::vector<Rank>> all;
    for (const Link& child : mine.children) all.push_back(subtree(root, child.peer, from_level));
    return all;
  }

  void gather() {
    const Links mine = links(call_.root);
    const auto below = bundles(mine, call_.root, 0);
    if (rank_ == call_.root) {
      gather_at_root(program_, mine, below, in_, Buffer::Out, call_.block());
    } else {
      gather_up(program_, mine, below, in_);
    }
  }

  void scatter() {
    const Links mine = links(call_.root);
    const auto below = bundles(mine, call_.root, 0);
    if (rank_ == call_.root) {
      scatter_from_root(program_, mine, below, in_, call_.block(), out_);
    } else {
      scatter_down(program_, mine, below, out_);
    }
  }

  /// Gathered within each outermost cluster, exchanged or passed round between their masters, and
  /// broadcast down again: what belongs together crosses each channel once for each pair of
  /// clusters.
  void allgather() {
    const Links mine = links(0, 1);
    const std::uint64_t block = call_.block();
    program_.copy(in_, slice(Buffer::Out, rank_ * block, block));
    allgather_up(program_, mine, bundles(mine, 0, 1), subtree(0, rank_, 1), block);
    const Team masters = top_masters();
    std::vector<std::vector<Rank>> sites;
    for (const Rank master : masters.ranks) sites.push_back(subtree(0, master, 1));
    if (masters.me < masters.size()) {
      if (choice_.top == Top::Exchange) {
        exchange_bundles(program_, masters, sites, block);
      } else {
        ring_bundles(program_, masters, sites, block);
      }
    }
    broadcast_bundles(program_, mine, sites, block);
  }

  void alltoall() {
    if (choice_.carriers == Carriers{}) {
      return multilevel_alltoall(program_, hierarchy_, choice_.levels, call_.block());
    }
    aggregated_alltoall(program_, outermost_clusters(hierarchy_.machine()), choice_.carriers,
                        call_.block());
  }

  const Hierarchy& hierarchy_;
  const MultilevelChoice& choice_;
  const Collective& call_;
  Rank rank_;
  Region in_;
  Region out_;
  ProgramBuilder program_;
};

}  // namespace

bool multilevel_supports(const Collective& call) {
  if (!call.irregular()) return true;
  switch (call.operation) {
    case Operation::Gather:
    case Operation::Scatter:
    case Operation::Allgather:
    case Operation::Alltoall:
    case Operation::ReduceScatter:
      return true;
    default:
      return false;
  }
}

Program multilevel_program(const Hierarchy& hierarchy, const MultilevelChoice& choice,
                           const Collective& call, Rank rank) {
  expects(choice.levels.size() == hierarchy.machine().levels().size(),
          "multilevel_program: not one choice for each level");
  expects(call.size == hierarchy.machine().size(),
          "multilevel_program: call and machine differ in size");
  return Call(hierarchy, choice, call, rank).build();
}

}  // namespace espalier::collective
