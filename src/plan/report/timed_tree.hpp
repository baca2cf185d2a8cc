#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cost_model.hpp"
#include "schedule/collective.hpp"
#include "topology/machine.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::report {

/// One message and its times.
struct Transfer {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t level = 0;  ///< level of the channel between the two
  Time start;               ///< when the sender begins with it
  Time sender_free;         ///< when the sender may begin with the next
  Time receive_start;       ///< when the receiver becomes busy with it
  Time delivered;
};

/// A tree and what happens along it: what all drawings and files of a tree are made from.
struct TimedTree {
  std::string algorithm;
  std::string model;
  schedule::Operation operation = schedule::Operation::Broadcast;
  Bytes size;
  tree::CommTree tree;
  /// Broadcast: when a rank has the message. Reduce: when it holds the result of all below it.
  /// Ranks outside the tree: kForever.
  std::vector<Time> done;
  /// One for each member but the root, ordered as those members are in tree.preorder().
  std::vector<Transfer> transfers;
  Time finish;  ///< broadcast: the last `done`; reduce: `done` of the root

  [[nodiscard]] bool upwards() const { return operation == schedule::Operation::Reduce; }
  /// The end of a transfer that is further from the root.
  [[nodiscard]] Rank child(const Transfer& t) const { return upwards() ? t.from : t.to; }
  [[nodiscard]] Rank parent(const Transfer& t) const { return upwards() ? t.to : t.from; }
};

/// Every rank sends to its children in their order, as soon as it can; a reduction hears them in
/// the reverse order and combines at the machine's speed. As tree::broadcast_times() and
/// tree::reduce_times() have it, with each message spelled out. O(members).
/// @pre tree, model and machine are of one size; the operation is Broadcast or Reduce
[[nodiscard]] TimedTree time_tree(const topology::Machine& machine, std::string algorithm,
                                  tree::CommTree tree, const model::CostModel& model, Bytes size,
                                  schedule::Operation operation);

/// Mean of `done` over all members but the root, rounded down; 0 if there are none.
[[nodiscard]] Time mean_done(const TimedTree& timed);
/// How many messages go over each level of the machine.
[[nodiscard]] std::vector<std::uint64_t> messages_per_level(const TimedTree& timed,
                                                            const topology::Machine& machine);
/// From the root down: broadcast: to the rank that is served last; reduce: along the message that
/// each rank waits for last. What must become faster before the whole does. Ties go to the lower
/// rank.
[[nodiscard]] std::vector<Rank> critical_path(const TimedTree& timed);

}  // namespace espalier::report
