#pragma once

#include <span>
#include <vector>

#include "collective/participants.hpp"
#include "collective/tree_links.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Gather, scatter and allgather along a tree. The blocks of a sub-tree travel together as a
/// bundle, in the order of `multilevel_subtree`: itself, then child by child. Inner ranks keep
/// bundles packed in scratch, so that they pass them on as one slice; the ends place them by rank
/// with one family.

/// An inner rank or leaf: own block and the children's bundles go up in one message.
void gather_up(schedule::ProgramBuilder& program, const TreeLinks& links,
               std::span<const std::vector<Rank>> bundle_of_child, const schedule::Region& own);
/// The root: block b of `to` is rank b's.
void gather_at_root(schedule::ProgramBuilder& program, const TreeLinks& links,
                    std::span<const std::vector<Rank>> bundle_of_child, const schedule::Region& own,
                    schedule::Buffer to, std::uint64_t block);

/// The mirror of gather_at_root(): the root's `all` holds a block for each rank.
void scatter_from_root(schedule::ProgramBuilder& program, const TreeLinks& links,
                       std::span<const std::vector<Rank>> bundle_of_child,
                       const schedule::Region& all, std::uint64_t block,
                       const schedule::Region& own);
void scatter_down(schedule::ProgramBuilder& program, const TreeLinks& links,
                  std::span<const std::vector<Rank>> bundle_of_child, const schedule::Region& own);
/// scatter_down() for a rank that has its sub-tree's blocks already, packed in scratch from `room`
/// on.
void scatter_packed(schedule::ProgramBuilder& program, const TreeLinks& links,
                    std::span<const std::vector<Rank>> bundle_of_child, std::uint64_t room,
                    const schedule::Region& own);

/// Allgather works in Out itself, where every rank has room for all blocks.
/// Blocks of the sub-tree come up to this rank and go on to its parent.
void allgather_up(schedule::ProgramBuilder& program, const TreeLinks& links,
                  std::span<const std::vector<Rank>> bundle_of_child,
                  const std::vector<Rank>& own_bundle, std::uint64_t block);
/// bundle_of[p] are the blocks that participant p has; afterwards all have all. Directly, one
/// latency; or round the ring, which loads each member's link with one message at a time.
void exchange_bundles(schedule::ProgramBuilder& program, const Participants& participants,
                      std::span<const std::vector<Rank>> bundle_of, std::uint64_t block);
void ring_bundles(schedule::ProgramBuilder& program, const Participants& participants,
                  std::span<const std::vector<Rank>> bundle_of, std::uint64_t block);
/// All bundles down the tree, one after the other.
void broadcast_bundles(schedule::ProgramBuilder& program, const TreeLinks& links,
                       std::span<const std::vector<Rank>> bundles, std::uint64_t block);

}  // namespace espalier::collective
