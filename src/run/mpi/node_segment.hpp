#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "mpi/element_payload.hpp"
#include "schedule/collective.hpp"
#include "shared/mapping.hpp"
#include "shared/member.hpp"

namespace espalier::mpi {

/// Bytes of shared memory that this process owns in all segments, up to a cap. Any thread may use
/// it.
class SharedBudget {
 public:
  /// Takes so many, if they are left.
  [[nodiscard]] bool take(std::uint64_t bytes, std::uint64_t most);
  void give_back(std::uint64_t bytes) { taken_.fetch_sub(bytes); }
  /// What was taken is in use now.
  void use();
  /// The most that were in use at a time.
  [[nodiscard]] std::uint64_t most() const { return most_.load(); }

 private:
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> most_{0};
};

/// Shared memory of the ranks of one communicator, all of which run on one node, and the planned
/// calls that go through it instead of by messages.
///
/// Whether a call does depends only on what all ranks know alike: its operation, the sizes, and for
/// reductions the type, which MPI wants to be the same everywhere.
class NodeSegment {
 public:
  static constexpr int kMostMembers = 128;

  /// Collective over the channel's communicator. nullptr on all ranks if some rank cannot have it.
  /// @param limit bytes that this process may own of all segments
  /// @param processes on this node, of the whole program
  [[nodiscard]] static std::unique_ptr<NodeSegment> make(Channel& channel, SharedBudget& budget,
                                                         std::uint64_t limit, int processes);
  ~NodeSegment();
  NodeSegment(const NodeSegment&) = delete;
  NodeSegment& operator=(const NodeSegment&) = delete;

  /// Whether this call goes through the segment.
  [[nodiscard]] bool serves(const schedule::Collective& call, const ElementBuffers& buffers) const;
  /// Runs it. @return an MPI error code. @pre serves(call, elements.buffers)
  [[nodiscard]] int run(const schedule::Collective& call, const ElementCall& elements);
  /// The others run a gather or scatter without this rank, which stays in step.
  void skip(const schedule::Collective& call);

 private:
  NodeSegment(Channel& channel, SharedBudget& budget, shared::Mapping mapping,
              const shared::Geometry& geometry, bool crowded);
  bool run_right(const schedule::Collective& call, const ElementCall& elements, std::byte* out);

  Channel& channel_;
  SharedBudget& budget_;
  shared::Mapping mapping_;
  shared::Member<shared::DirectAccess> member_;
};

}  // namespace espalier::mpi
