#pragma once

#include <span>

#include "collective/multilevel.hpp"
#include "collective/multilevel_calls.hpp"
#include "collective/ordered_reduce.hpp"
#include "collective/participants.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// The parts of multilevel_program(); for multilevel*.cpp only.

/// Scan or exscan level by level, for any placement and any operation: only runs of ranks are ever
/// combined, in order.
///
/// Ranks that follow each other in one cluster are a run; the runs of a level lie within those of
/// the level above. (Block placement: a cluster is one run. Cyclic: a rank is one.) On the way up
/// the last ranks of the runs that make up a longer one scan their totals; on the way down what
/// stands before the longer run is broadcast to them, from the last one, and put before what stands
/// within. P. Sanders, J. L. Traeff: "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006,
/// LNCS 4192, section 3, has this for SMP nodes, with reduce and scan; ours is recursive and needs
/// no reduce.
///
/// A level's shape says how totals are scanned: Flat: direct_exscan, Chain: linear_exscan in
/// segments, Binomial: binomial_scan, Binary: recursive_doubling_scan; and how the broadcast works.
/// With block placement S - 1 vectors (Chain) cross the outermost channel, the least possible, and
/// nothing goes down across it.
/// @param inclusive scan, else exscan
/// @param in, out plain slices, whole; `out` of rank 0 is not written by exscan
void multilevel_scan(schedule::ProgramBuilder& program, const Hierarchy& hierarchy,
                     std::span<const LevelChoice> choices, bool inclusive,
                     const schedule::Region& in, const schedule::Region& out);

/// Alltoall in which what goes to other outermost clusters comes up the multilevel tree of its
/// cluster to the master, crosses as one bundle for each pair of clusters, and goes down the tree
/// there. Within an outermost cluster everybody sends to everybody.
///
/// As aggregated_alltoall with one leader, but level by level: a node's processes send one bundle
/// over the node's link, not one each. A master has as many messages as its tree has children,
/// whatever the number of ranks.
///
/// Across: S (S - 1) bundles, each block once. Sent a rank: its sub-tree's blocks for other
/// clusters, up and down. Scratch: the same.
/// @param choices a shape for each level; segments mean nothing here
/// @param block units of a block; In and Out have one for each rank
void multilevel_alltoall(schedule::ProgramBuilder& program, const Hierarchy& hierarchy,
                         std::span<const LevelChoice> choices, std::uint64_t block);

/// One rank's part of a call while it is written: what all operations need. For multilevel_*.cpp
/// only; everybody else calls multilevel_program().
class MultilevelCall {
 public:
  MultilevelCall(const Hierarchy& hierarchy, const MultilevelChoice& choice,
                 const schedule::Collective& call, Rank rank)
      : hierarchy_(hierarchy),
        choice_(choice),
        call_(call),
        rank_(rank),
        in_(schedule::slice(schedule::Buffer::In, 0, units_in(call, rank))),
        out_(schedule::slice(schedule::Buffer::Out, 0, units_out(call, rank))),
        program_(rank) {}

  schedule::Program build() &&;

 private:
  [[nodiscard]] TreeLinks links(Rank root, std::uint32_t from_level = 0) const {
    return multilevel_links(hierarchy_, choice_.levels, root, rank_, from_level);
  }
  [[nodiscard]] std::vector<Rank> subtree(Rank root, Rank of, std::uint32_t from_level = 0) const {
    return multilevel_subtree(hierarchy_, choice_.levels, root, of, from_level);
  }
  /// The bundle of each child of the tree, in the order in which it is packed.
  [[nodiscard]] std::vector<std::vector<Rank>> bundles(const TreeLinks& mine, Rank root,
                                                       std::uint32_t from_level) const;
  /// The masters of the outermost clusters, in the order of the lowest rank they speak for.
  [[nodiscard]] Participants top_masters() const;
  void barrier();

  // multilevel_reductions.cpp
  void reduce_to(Rank root, const schedule::Region& result);
  void allreduce();
  void exchange_in_order(const TreeLinks& mine);
  void reduce_scatter();
  RunSlots reduce_to_masters(const TreeLinks& mine);
  [[nodiscard]] std::vector<std::vector<RankRun>> runs_of_children(const TreeLinks& mine, Rank root,
                                                                   std::uint32_t from_level) const;
  [[nodiscard]] TreeLinks finest(TreeLinks links) const;

  // multilevel_blocks.cpp
  void gather();
  void scatter();
  void allgather();
  void alltoall();

  const Hierarchy& hierarchy_;
  const MultilevelChoice& choice_;
  const schedule::Collective& call_;
  Rank rank_;
  schedule::Region in_;
  schedule::Region out_;
  schedule::ProgramBuilder program_;
};

}  // namespace espalier::collective
