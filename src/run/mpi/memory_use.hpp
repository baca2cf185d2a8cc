#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "mpi/group_plans.hpp"
#include "mpi/node_level.hpp"
#include "mpi/node_segment.hpp"
#include "mpi/world.hpp"
#include "runtime/plan_cache.hpp"

namespace espalier::mpi {

/// Which memory the members of one communicator share inside their nodes, and which calls may go
/// through it: a segment where all are on one node, segments of several nodes else. What is wanted
/// depends on settings and machine alone, so all members get the same answers.
class MemoryUse {
 public:
  MemoryUse(const World& world, SegmentStore& store) : world_(world), store_(store) {}

  /// Whether the members are to have a segment of shared memory.
  [[nodiscard]] bool wants_segment(const GroupPlans& group) const;
  /// Likewise, a segment in each of several nodes.
  [[nodiscard]] bool wants_node_level(GroupPlans& group) const;
  /// Makes what is wanted. Collective over the channel's communicator.
  /// @return whether plans that were made before still hold
  [[nodiscard]] bool make(Channel& channel, GroupPlans& group);
  /// Whether something was wanted that could not be had, once make() was called.
  [[nodiscard]] bool lacks_something(GroupPlans& group) const {
    return lacks_memory(group) || lacks_one_copy(group);
  }
  /// What could not be had is not wanted from now on: there are fewer candidates.
  /// @pre lacks_something()
  void do_without(const GroupPlans& group);

  /// Shared memory of the members; nullptr: planned calls go by messages.
  [[nodiscard]] NodeSegment* segment() const { return segment_.get(); }
  /// Shared memory inside the nodes of the members. @pre a plan over memory was made
  [[nodiscard]] NodeLevel& node_level() const { return *node_level_; }
  /// Whether calls may go over the memory of several nodes, or could once it is made.
  /// @param is_made make() was called
  [[nodiscard]] bool may_go_over_nodes(GroupPlans& group, bool is_made) const;
  /// What a call may choose between: what the chooser names, and memory.
  [[nodiscard]] std::vector<runtime::Candidate> candidates(GroupPlans& group,
                                                           const runtime::SharedCall& call,
                                                           bool is_made) const;
  /// What a plan is called: its name, or that calls go through shared memory instead.
  [[nodiscard]] std::string_view name_of(const runtime::CachedPlan& plan) const;
  /// A call failed: members may have done different steps.
  void mark_failed();
  /// Gives the memory back.
  void leave();

 private:
  /// Whether long calls through memory are to be copied once.
  [[nodiscard]] bool wants_one_copy(const GroupPlans& group) const;
  [[nodiscard]] bool lacks_memory(GroupPlans& group) const {
    return (wants_segment(group) && segment_ == nullptr) ||
           (wants_node_level(group) && node_level_ == nullptr);
  }
  /// One copy was wanted, but some member cannot read another's memory.
  [[nodiscard]] bool lacks_one_copy(const GroupPlans& group) const {
    return segment_ != nullptr && !segment_->reads_peers() && wants_one_copy(group);
  }
  [[nodiscard]] std::vector<runtime::Candidate> in_segment(
      GroupPlans& group, const runtime::SharedCall& call,
      const schedule::Collective& collective) const;
  [[nodiscard]] std::vector<runtime::Candidate> with_nodes(GroupPlans& group,
                                                           const runtime::SharedCall& call,
                                                           bool is_made) const;
  [[nodiscard]] int processes_of_node(GroupPlans& group) const;

  const World& world_;
  SegmentStore& store_;
  std::unique_ptr<NodeSegment> segment_;   // absent: there is none
  std::unique_ptr<NodeLevel> node_level_;  // likewise
  bool does_without_segment_ = false;      // memory was wanted, and could not be had
  bool does_without_one_copy_ = false;     // it was wanted, and is not allowed
};

}  // namespace espalier::mpi
