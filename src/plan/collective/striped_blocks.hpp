#pragma once

#include "collective/partition.hpp"
#include "collective/striped.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// The two striped operations on blocks; see striped.hpp.

/// Each block crosses once to each other cluster, to position p * size' / size of p, where it takes
/// part in the allgather beside the receiver's own. Steps: one latency across, then the
/// allgather's. No scratch.
/// @param block units; In has one, Out one for each rank
void striped_allgather(schedule::ProgramBuilder& program, const Partition& clusters, Inside inside,
                       std::uint64_t block);

/// The mirror: a position reduces, within its cluster, its own block and those of the others'
/// positions that it stands for, and sends each of these to its owner, who combines one partial
/// result from each cluster, in the clusters' order. Scratch: those blocks.
/// @param block units; In has one for each rank, Out one
void striped_reduce_scatter(schedule::ProgramBuilder& program, const Partition& clusters,
                            Inside inside, std::uint64_t block);

}  // namespace espalier::collective
