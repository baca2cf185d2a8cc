#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/channel.hpp"
#include "mpi/segment_store.hpp"

namespace espalier::mpi {

/// What a process is asked for, if ranks of a communicator that run on one node are to share
/// memory.
struct SegmentWanted {
  const std::vector<Rank>& members;  ///< members of the communicator, as ranks of MPI_COMM_WORLD
  std::uint64_t limit = 0;           ///< bytes that a process may own of all segments
  int processes = 1;                 ///< processes on this node, of the whole program
  bool fears_devices = false;        ///< buffers may be on devices, where we cannot copy
  bool reads_peers = false;          ///< the ranks are to read each other's memory; the same on all
};

/// What the ranks of a communicator have come to.
struct AgreedSegment {
  bool is_there = false;  ///< every node of several ranks has a segment; the same on all ranks
  std::unique_ptr<UsedSegment> segment = {};  ///< absent also where a rank is alone on its node
  bool reads_peers = false;  ///< all ranks of this node can read each other's memory
  bool is_crowded = false;   ///< more processes on the node than processors that they may use
};

/// A segment for the ranks of each node, on all nodes or on none. Collective over the channel's
/// communicator.
/// @param mates the ranks of this rank's node, itself among them, rising
/// @pre at most select::kMostSharing mates; nodes do not overlap
[[nodiscard]] AgreedSegment agree_on_segment(Channel& channel, SegmentStore& store,
                                             const SegmentWanted& wanted,
                                             const std::vector<Rank>& mates);

/// How a member touches the memory of a segment.
[[nodiscard]] shared::DirectAccess access_to(const SharedSegment& segment, bool is_crowded,
                                             shared::Progress progress);

/// Lets MPI go on with messages to and from this rank, and with calls that do not block.
void let_go_on(Channel& channel);

}  // namespace espalier::mpi
