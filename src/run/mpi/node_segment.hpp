#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/agreed_segment.hpp"
#include "mpi/element_payload.hpp"
#include "schedule/collective.hpp"
#include "select/shared_memory.hpp"

namespace espalier::mpi {

static_assert(shared::Geometry{}.slot_bytes == select::kLongestSharedPiece &&
              shared::Geometry{}.piece(1, 1) == select::kShortestSharedPiece);

/// Shared memory of the ranks of one communicator, all of which run on one node, and the planned
/// calls that go through it instead of by messages.
///
/// Whether a call does depends only on what all ranks know alike: its operation, the sizes, and for
/// reductions the type, which MPI wants to be the same everywhere.
class NodeSegment {
 public:
  static constexpr int kMostMembers = select::kMostSharing;

  /// What a process is asked for.
  struct Wanted {
    const std::vector<Rank>& ranks;  ///< the members as ranks of MPI_COMM_WORLD
    std::uint64_t limit = 0;         ///< bytes that a process may own of all segments
    int processes = 1;               ///< processes on this node, of the whole program
    bool fears_devices = false;      ///< buffers may be on devices, where we cannot copy
    bool reads_peers = false;        ///< long messages are to be copied once
  };
  /// Collective over the channel's communicator. nullptr on all ranks if some rank cannot have it.
  /// @pre at most kMostMembers ranks
  [[nodiscard]] static std::unique_ptr<NodeSegment> make(Channel& channel, SegmentStore& store,
                                                         const Wanted& wanted);
  /// Keeps the segment for other communicators of the same ranks.
  ~NodeSegment();
  NodeSegment(const NodeSegment&) = delete;
  NodeSegment& operator=(const NodeSegment&) = delete;
  /// A call failed: members may have done different steps, so nobody uses the segment again.
  void mark_failed() { has_failed_ = true; }

  /// Whether such calls go through a segment of their ranks, but for reductions of types with gaps.
  [[nodiscard]] static bool may_serve(const schedule::Collective& call);
  /// Whether this call goes through such a segment.
  [[nodiscard]] static bool serves(const schedule::Collective& call, const ElementBuffers& buffers);
  /// Whether all members can read each other's memory. The same on all.
  [[nodiscard]] bool reads_peers() const { return reads_peers_; }
  /// Runs it. @return an MPI error code
  /// @param copies the same on all members; One: only what select::may_copy_once()
  /// @pre serves(call, elements.buffers)
  [[nodiscard]] int run(const schedule::Collective& call, const ElementCall& elements,
                        shared::Copies copies);
  /// The others run a gather or scatter without this rank, which stays in step. Where it is the
  /// root of a scatter, for which the others wait, they end with an error.
  void skip(const schedule::Collective& call, std::uint64_t signature, shared::Copies copies);

 private:
  NodeSegment(Channel& channel, SegmentStore& store, const Wanted& wanted, AgreedSegment agreed);
  /// @return an MPI error code
  int run_bytes(const schedule::Collective& call, const ElementCall& elements, std::byte* out,
                shared::Copies copies);
  bool move_right(const schedule::Collective& call, const ElementCall& elements, std::byte* out,
                  shared::Copies copies);
  bool reduce_right(const schedule::Collective& call, const ElementCall& elements, std::byte* out);

  Channel& channel_;
  SegmentStore& store_;
  const std::vector<Rank> ranks_;
  SharedSegment segment_;
  const bool reads_peers_;
  bool has_failed_ = false;
};

}  // namespace espalier::mpi
