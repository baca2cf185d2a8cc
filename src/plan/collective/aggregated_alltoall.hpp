#pragma once

#include "collective/partition.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Which ranks carry the data between clusters, in how many bundles.
struct Carriers {
  Rank leaders = 1;  ///< ranks of a cluster that carry bundles; 1: the lowest rank; more: in turn
  Rank stripes = 1;  ///< bundles for each pair of clusters, each for another part of the receivers
  friend bool operator==(const Carriers&, const Carriers&) = default;
};

/// Alltoall in which what the ranks of one outermost cluster have for those of another crosses as
/// one bundle: gathered at a leader, sent to a leader there, scattered. Within a cluster everybody
/// sends to everybody.
///
/// T. Kielmann, R. Hofman, H. Bal, A. Plaat, R. Bhoedjang: "MagPIe: MPI's collective communication
/// operations for clustered wide area systems", PPoPP 1999: alltoall. There one coordinator carries
/// all; here also several, the bundles dealt out among them, so that one node's link is not the
/// bottleneck.
///
/// Across: S (S - 1) bundles (times stripes), each block once: the least bytes and one latency.
/// Steps: gather, cross, scatter: 3 latencies. Sent a rank: its blocks once; by a leader also the
/// bundles it carries, out and in. Scratch: those bundles, or up to four times that, so that gather
/// and scatter are families of messages. A message is one family of slices,
/// whatever the number of blocks; if lengths differ (alltoallv) a block is a unit.
/// @param block units of a block; In and Out have one for each rank
void aggregated_alltoall(schedule::ProgramBuilder& program, const Partition& clusters,
                         const Carriers& carriers, std::uint64_t block);

}  // namespace espalier::collective
