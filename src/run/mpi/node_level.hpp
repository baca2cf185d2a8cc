#pragma once

#include <memory>
#include <vector>

#include "mpi/agreed_segment.hpp"
#include "mpi/element_payload.hpp"
#include "runtime/plan_cache.hpp"
#include "select/over_memory.hpp"

namespace espalier::mpi {

/// The memory of the nodes of one communicator over several nodes, and the calls whose innermost
/// level it is: broadcast, reduce, allreduce and barrier
/// (docs/adr/0047-the-memory-of-several-nodes.md).
///
/// Each node has a segment of its own, and a leader in each call (select::Nodes). The message is
/// cut into pieces 0 .. n-1. Of each piece three things are done:
///
///   in(k)    the ranks of a node combine piece k in memory, and its leader gets the result
///            (reductions); or they report to it (barrier)
///   send(k)  the leaders run their plan of piece k, by messages
///   out(k)   the ranks of a node take piece k from memory, where the leader writes it
///            (broadcast, allreduce); or the leader releases them (barrier)
///
/// All ranks do  in(0) in(1) out(0) in(2) out(1) ... in(n-1) out(n-2) out(n-1)  in this order. A
/// leader begins send(k) between in(k) and out(k-1), and ends it before it begins send(k+1): so
/// messages of one piece are under way while memory goes on with its neighbours.
///
/// Nobody waits for ever. Order what is done by  in(0) send(0) in(1) send(1) out(0) in(2) ...  Who
/// does something waits only for what others do before it in this order, or at the same place in
/// it: in(k) and out(k) for flags of the same step, or until a step is left that is some steps
/// back; send(k) for messages of other leaders' send(k), whose plan is proven to end. Each rank
/// does its own in that order. So the rank that is furthest back can always go on. While it waits
/// in memory a leader goes on with its messages, which is for speed alone; and every rank lets MPI
/// go on, since the program's own messages may hold up others.
///
/// A call takes one number of the channel, on all ranks. Pieces share tags: no rank has messages of
/// two pieces under way, and MPI keeps the order of messages between two ranks.
///
/// A leader whose messages fail, or that finds another call in memory, shows so in its next out():
/// its mates get an error too. In the latter case it sends no more of this call, but tells the
/// leaders that its plan has messages with: they get an error within a second or two, and no data
/// of another call. Ranks that have done different numbers of steps are as those of NodeSegment.
class NodeLevel {
 public:
  /// Collective over the channel's communicator. nullptr on all ranks if some rank cannot have it.
  /// @pre nodes.are_several()
  [[nodiscard]] static std::unique_ptr<NodeLevel> make(Channel& channel, SegmentStore& store,
                                                       const SegmentWanted& wanted,
                                                       const select::Nodes& nodes);
  void mark_failed() {
    if (segment_ != nullptr) segment_->mark_failed();
  }

  [[nodiscard]] const select::Nodes& nodes() const { return nodes_; }
  /// Runs a call. @return an MPI error code
  /// @pre plan.over_memory, made for nodes(); elements of reductions have no gaps
  [[nodiscard]] int run(const runtime::CachedPlan& plan, const ElementCall& elements);
  /// Whether messages of the last call, which failed, may still be under way: its memory must stay.
  [[nodiscard]] bool left_messages() const { return left_messages_; }

 private:
  class Call;
  NodeLevel(Channel& channel, const select::Nodes& nodes, std::vector<Rank> mates,
            AgreedSegment agreed);
  static void go_on(void* of);

  Channel& channel_;
  const select::Nodes nodes_;
  const std::vector<Rank> mates_;               // ranks of this node, rising
  const std::unique_ptr<UsedSegment> segment_;  // absent: this rank is alone on its node
  ElementPayload payload_;
  Execution execution_;
  bool left_messages_ = false;
};

}  // namespace espalier::mpi
