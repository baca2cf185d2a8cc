#include "collective/multilevel_calls.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collective/exchange.hpp"
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
        reduce_to(call_.root);
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
        aggregated_alltoall(program_, outermost_clusters(hierarchy_.machine()), choice_.carriers,
                            call_.block());
        break;
      default:
        expects(false, "multilevel_program: there is no multilevel form of this operation");
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

  void reduce_to(Rank root) {
    const Links mine = links(root);
    if (call_.commutative) return tree_reduce(program_, mine, in_, out_);
    std::vector<std::vector<RankRun>> runs;
    for (const Link& child : mine.children) runs.push_back(runs_of(subtree(root, child.peer)));
    ordered_reduce(program_, finest(mine), runs, in_, rank_ == root ? out_ : Region{});
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
    if (choice_.top == Top::Tree || !call_.commutative) {
      reduce_to(0);
      tree_broadcast(program_, links(0), out_);
      return;
    }
    const Links mine = links(0, 1);
    tree_reduce(program_, mine, in_, out_);
    const Team masters = top_masters();
    if (masters.me < masters.size()) {
      direct_exchange(program_, masters, out_, choice_.levels.front().segment);
    }
    tree_broadcast(program_, mine, out_);
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
      scatter_from_root(program_, mine, below, call_.block(), out_);
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
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Reduce:
    case Operation::Allreduce:
    case Operation::Barrier:
    case Operation::Gather:
    case Operation::Scatter:
    case Operation::Allgather:
    case Operation::Alltoall:
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
