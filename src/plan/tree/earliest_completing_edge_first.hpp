#pragma once

#include "model/cost_model.hpp"
#include "topology/machine.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// Broadcast or multicast tree for unequal links (ECEF): of all messages that somebody who has the
/// data could send next, take the one that is delivered first.
///
/// Looks at `delivered` of every pair, and at `sender_busy` for when the sender may go on.
/// @pre  model.size() == who.machine_size
/// @post spans the participants; children are stored in the order in which they are sent to
///
/// O(P^2 log P) time, up to 4 P^2 bytes: for thousands of ranks, not for hundreds of thousands.
/// Ties go to the lower receiver, then to the lower sender.
[[nodiscard]] CommTree earliest_completing_edge_first(const model::CostModel& model, Bytes size,
                                                      const Participants& who);

/// The same with look-ahead: to the time of delivery it adds what the receiver j would need for its
/// own fastest message to those still waiting, L(j) = min over waiting k of t(j, k), so that good
/// forwarders are served early.
///
/// Under node-initiation costs it builds the tree of fastest_node_first. O(P^2 log P) time, up to
/// 8 P^2 bytes.
[[nodiscard]] CommTree earliest_completing_edge_first_look_ahead(const model::CostModel& model,
                                                                 Bytes size,
                                                                 const Participants& who);

/// The tree whose last delivery is earliest, as far as `steps` steps of a search find it: branch
/// and bound that begins with ECEF with look-ahead, so never later than that. Looks at `delivered`
/// and `sender_busy`. For about ten ranks. The same on every CPU. @pre as above
[[nodiscard]] CommTree searched_tree(const model::CostModel& model, Bytes size,
                                     const Participants& who, std::uint64_t steps);

/// ECEF with look-ahead cluster by cluster: one tree among the heads of each cluster's members, the
/// outer ones first. The head of a cluster is the root, or who would have passed the message on
/// first if the root sent it there: a fast rank, not the lowest. Ties go to the lower rank.
///
/// O(P n log n) for clusters of n members; with more than 64 members fastest_node_first() takes the
/// place of ECEF. @pre model and machine have the same ranks @post spans all ranks
[[nodiscard]] CommTree edge_first_by_cluster(const model::CostModel& model, Bytes size,
                                             const topology::Machine& machine, Rank root);

}  // namespace espalier::tree
