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

  /// Collective over the channel's communicator. nullptr on all ranks if some rank cannot have it.
  /// @param wanted reads_peers: long messages are to be copied once
  /// @pre at most kMostMembers ranks
  [[nodiscard]] static std::unique_ptr<NodeSegment> make(Channel& channel, SegmentStore& store,
                                                         const SegmentWanted& wanted);
  void mark_failed() { segment_->mark_failed(); }

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
  /// The others run a call without this rank, which stays in step. Those that wait for it end with
  /// an error. @pre may_serve(call); no reduction of elements with gaps
  void skip(const schedule::Collective& call, std::uint64_t signature, shared::Copies copies);

 private:
  NodeSegment(Channel& channel, AgreedSegment agreed);
  /// @return an MPI error code
  int run_bytes(const schedule::Collective& call, const ElementCall& elements, std::byte* out,
                shared::Copies copies);
  bool move_right(const schedule::Collective& call, const ElementCall& elements, std::byte* out,
                  shared::Copies copies);
  bool reduce_right(const schedule::Collective& call, const ElementCall& elements, std::byte* out);
  [[nodiscard]] std::uint64_t steps_of(const schedule::Collective& call,
                                       shared::Copies copies) const;

  Channel& channel_;
  const std::unique_ptr<UsedSegment> segment_;
  SharedSegment::Member& member_;
  const bool reads_peers_;
};

}  // namespace espalier::mpi
