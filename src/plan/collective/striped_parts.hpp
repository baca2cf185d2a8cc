#pragma once

#include "collective/allgather.hpp"
#include "collective/partition.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/striped.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

// The parts of striped_program(); for striped*.cpp only.

/// The two striped operations on blocks; see striped.hpp.

/// Each block crosses once to each other cluster, to position p * size' / size of p, where it takes
/// part in the allgather beside the receiver's own. Steps: one latency across, then the
/// allgather's. No scratch.
/// @param block units; In has one, Out one for each rank
void striped_allgather(schedule::ProgramBuilder& program, const Partition& clusters, Inside inside,
                       std::uint64_t block);

/// The mirror of striped_allgather(): a position reduces, within its cluster, its own block and
/// those of the others' positions that it stands for, and sends each of these to its owner, who
/// combines one partial result from each cluster, in the clusters' order. Scratch: those blocks.
/// @param block units; In has one for each rank, Out one
void striped_reduce_scatter(schedule::ProgramBuilder& program, const Partition& clusters,
                            Inside inside, std::uint64_t block);

inline void allgather_inside(schedule::ProgramBuilder& program, Inside inside,
                             const Participants& participants, const BlockLayout& all) {
  if (inside == Inside::Ring) return ring_allgather(program, participants, all);
  bruck_allgather(program, participants, all);
}

inline void reduce_scatter_inside(schedule::ProgramBuilder& program, Inside inside,
                                  const Participants& participants,
                                  const BlockLayout& contributions, const schedule::Region& mine) {
  if (inside == Inside::Ring)
    return ring_reduce_scatter(program, participants, contributions, mine);
  butterfly_reduce_scatter(program, participants, contributions, mine);
}

}  // namespace espalier::collective
