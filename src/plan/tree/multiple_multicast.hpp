#pragma once

#include <span>
#include <vector>

#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"
#include "tree/run_together.hpp"

namespace espalier::tree {

/// Trees for several multicasts at once, and when each of their messages is sent.
struct SharedPlan {
  std::vector<CommTree> trees;  ///< one for each multicast
  SharedRun run;
  friend bool operator==(const SharedPlan&, const SharedPlan&) = default;
};

/// Builds the trees of several multicasts together, knowing that a busy node is busy for all of
/// them: of all messages that somebody could send next, the one that is delivered first.
///
/// The machine is that of run_together(), but a node chooses among the messages that it has. Ties
/// go to the multicast with the most ranks still waiting, then to the lower multicast and sender;
/// among receivers to the one that could itself forward first, then to the lower rank.
/// @pre  all multicasts are on model.size() ranks; all messages are `size` bytes
/// @post trees[i] spans multicasts[i]; run.sends of one node are in the order it is to send them
///
/// With M multicasts of P ranks: each of the M P sends looks again at the offers that it has put
/// off, at most M + P of them if receiving is free (else at most M P), at O(P) each.
[[nodiscard]] SharedPlan schedule_together(std::span<const Participants> multicasts,
                                           const model::CostModel& model, Bytes size);

/// The better of two plans for several multicasts.
struct MultipleMulticast {
  SharedPlan plan;
  bool joint = true;   ///< `plan` is schedule_together()'s; false: the separate trees are faster
  Time joint_time;     ///< end of the last multicast with schedule_together()
  Time separate_time;  ///< end of the last multicast with the separate trees
};

/// Takes `separate`, a tree for each multicast made without regard to the others, as
/// run_together() runs them, and schedule_together()'s plan; keeps the one that is over first, at
/// a tie the one with the earlier multicasts in sum, then the joint one. So it is never worse than
/// the separate trees.
/// @pre separate[i] spans multicasts[i]
[[nodiscard]] MultipleMulticast multiple_multicast(std::span<const Participants> multicasts,
                                                   std::span<const CommTree> separate,
                                                   const model::CostModel& model, Bytes size);

}  // namespace espalier::tree
