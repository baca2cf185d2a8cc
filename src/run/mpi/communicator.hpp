#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "mpi/block_executor.hpp"
#include "mpi/counted_trees.hpp"
#include "mpi/executor.hpp"
#include "mpi/group_plans.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/owned.hpp"
#include "mpi/world.hpp"
#include "runtime/class_policy.hpp"
#include "runtime/explain.hpp"
#include "runtime/multicast_plan.hpp"
#include "runtime/plan_cache.hpp"

namespace espalier::mpi {

/// Hidden communicators of this process, with those that were abandoned after a failed call. They
/// come out of the user's share (MPICH has 2,045), so there is a cap.
class HiddenShare {
 public:
  static constexpr int kMost = 128;
  [[nodiscard]] bool take();
  void give_back();
  /// Nothing is taken from now on.
  void close() { is_closed_.store(true); }
  [[nodiscard]] int taken() const;
  [[nodiscard]] int most() const { return most_.load(); }

 private:
  std::atomic<int> taken_{0};
  std::atomic<int> most_{0};
  std::atomic<bool> is_closed_{false};
};

/// The members of a communicator as ranks of MPI_COMM_WORLD; nothing if some are not there.
/// @pre no intercommunicator
[[nodiscard]] std::optional<std::vector<Rank>> ranks_in_world(MPI_Comm comm);

/// What becomes of a call, as far as that is known before it is made.
struct CallOutlook {
  bool planned = false;
  std::string name;  ///< of the plan, or "native"
  std::string why;
  std::optional<Time> predicted = {};
  std::optional<Time> native_predicted = {};
};

/// What we know about a communicator of the user: hangs on it as an attribute and goes with it.
///
/// MPI lets only one collective at a time run on a communicator, so nothing here needs a lock.
class Communicator {
 public:
  /// @param is_off the user wants no plans here
  Communicator(MPI_Comm comm, const World& world, HiddenShare& share, Groups& groups, bool is_off);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Why every call here is native, if it is. MachineUnknown may end: see take_machine().
  [[nodiscard]] std::optional<runtime::Reason> never() const { return never_; }
  /// Its members are several processes of MPI_COMM_WORLD, in one group. All of them see that alike;
  /// elsewhere others may not have our library, and nobody is asked anything.
  [[nodiscard]] bool is_within_world() const {
    return never_ != runtime::Reason::OneProcess && never_ != runtime::Reason::Intercommunicator &&
           never_ != runtime::Reason::OutsideWorld;
  }
  /// All processes of MPI_COMM_WORLD are members, in any order.
  [[nodiscard]] bool holds_world() const { return size_ == world_.size; }
  /// From now on calls are planned for the world's machine. All members do this before the same
  /// call. @pre never() is MachineUnknown, the world's machine is known
  void take_machine();
  /// Whether all members know the world's machine. Collective over it, but only before calls
  /// 1, 2, 4, 8 ... of those that find the machine unknown: "no" comes without asking otherwise.
  [[nodiscard]] bool all_know_the_machine();

  /// The plan for a call, if it shall run along one. All ranks come to the same answer; the first
  /// time they do, the hidden communicator is made (collective).
  /// @return nullptr and the reason in `reason`: native
  const runtime::CachedPlan* plan(const runtime::PlanKey& key, runtime::Reason& reason);
  /// What plan() would say to the next such call, and why; local, and changes nothing.
  [[nodiscard]] CallOutlook outlook(const runtime::PlanKey& key);
  /// Whether multicasts run along plans here: all ranks come to the same answer, and make the
  /// hidden communicator if need be (collective).
  [[nodiscard]] bool can_multicast();
  /// For one, or for several at once. @pre can_multicast(); at most kMulticastsAtOnce
  const runtime::CachedPlan& multicast_plan(const std::vector<runtime::MulticastCall>& calls);
  /// The machine that plans are made for; nullptr: not known.
  [[nodiscard]] const topology::Machine* machine() const {
    return group_ == nullptr ? nullptr : &group_->machine();
  }
  /// After plan() said native: whether it will for all calls like that one. Where it may not, every
  /// call is counted, so that all ranks change their mind at the same one.
  [[nodiscard]] bool is_for_good() const { return is_for_good_; }
  /// Who wants to know how long the call of the last plan() takes, if somebody does.
  [[nodiscard]] runtime::ClassPolicy* timed() { return std::exchange(timed_, nullptr); }
  [[nodiscard]] std::vector<runtime::TrialRecord> trials() const;
  /// Classes of calls whose trial has not ended.
  [[nodiscard]] std::size_t undecided() const;
  /// Adds what its trials found out.
  void add_to(runtime::Verdicts& verdicts) const;
  /// When and why plans were made anew, a sentence each.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
  /// @pre plan() returned a plan
  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] BlockExecutor& block_executor();
  [[nodiscard]] CountedTrees& counted_trees();
  [[nodiscard]] SelfLane self() const { return {hidden_.get(), rank_, 0}; }
  /// A planned call failed, or the others ran one without this rank: messages for it may be left on
  /// the hidden communicator, or come later. It is abandoned then, not freed, and its share with
  /// it.
  void mark_failed() { has_failed_ = true; }
  [[nodiscard]] bool holds_hidden() const { return executor_ != nullptr && !has_failed_; }
  /// Whether all members are among these ranks of MPI_COMM_WORLD. @param ranks sorted
  /// @pre holds_hidden()
  [[nodiscard]] bool has_only(const std::vector<Rank>& ranks) const;
  /// Frees the hidden communicator: from now on all calls are native. All members do this before
  /// the same call. @pre holds_hidden()
  void give_back();

  runtime::CallCounts counts;
  runtime::CallLog log;
  std::uint64_t staging_bytes = 0;  ///< copies and partial results of one call, at most
  [[nodiscard]] std::uint64_t plan_bytes() const { return plans_.most_bytes(); }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Executor* executor_if_any() const { return executor_.get(); }

 private:
  [[nodiscard]] std::optional<runtime::Reason> why_never(bool is_off);
  [[nodiscard]] bool agree(std::uint64_t plan_hash);
  void tell(const runtime::PlanKey& key, const runtime::CachedPlan& plan) const;
  struct Tried {
    std::uint32_t calls_until_policy = 0;
    std::unique_ptr<runtime::ClassPolicy> policy;    // made when it is due
    std::unique_ptr<LateAgreement> agreement;        // while its trial is on
    std::unique_ptr<LateAgreement> watch_agreement;  // while it is watched
  };
  Tried& tried(const runtime::PlanKey& key);
  void forget_tried();
  std::optional<runtime::WhichPlan> which(Tried& tried, const runtime::PlanKey& key);
  [[nodiscard]] bool is_watched() const { return executor_ != nullptr && may_change(); }
  [[nodiscard]] bool may_change() const { return !group_->far_pairs().empty(); }
  runtime::ClassPolicy& begin_policy(Tried& tried, const runtime::PlanKey& key);
  bool measure_again();
  void plan_for(std::shared_ptr<GroupPlans> group);
  const runtime::CachedPlan* cached(const runtime::PlanKey& key);
  [[nodiscard]] runtime::Reason why_native(const runtime::ClassPolicy& policy) const;
  /// Whether this call goes to the MPI library because few like it came before on this
  /// communicator, which may be freed soon. Counts it.
  bool is_among_the_first();
  bool make_hidden(const runtime::PlanKey& key);

  MPI_Comm comm_;
  const World& world_;
  HiddenShare& share_;
  Groups& groups_;
  int rank_ = 0;
  int size_ = 1;
  std::optional<runtime::Reason> never_;
  std::vector<Rank> world_ranks_;  // until the machine is known
  std::uint64_t machine_hash_ = 0;
  std::shared_ptr<GroupPlans> group_;  // once the machine is known
  runtime::PlanCache plans_;
  std::map<std::vector<runtime::MulticastCall>, runtime::CachedPlan> multicasts_;
  std::map<runtime::CallClass, Tried> tried_;
  runtime::CallClass last_class_;
  Tried* last_tried_ = nullptr;
  runtime::ClassPolicy* timed_ = nullptr;
  bool is_for_good_ = false;
  OwnedComm probes_;  // for measuring again; made when that is needed
  std::vector<std::string> changes_;
  std::vector<runtime::TrialRecord> past_trials_;  // of plans that were made anew since
  std::uint64_t gainful_calls_ = 0;
  std::uint64_t calls_without_machine_ = 0;
  bool holds_share_ = false;
  bool has_failed_ = false;
  OwnedComm hidden_;
  std::unique_ptr<Executor> executor_;             // before hidden_ goes, as what is tried
  std::unique_ptr<BlockExecutor> block_executor_;  // before executor_ goes; made at its first use
  std::unique_ptr<CountedTrees> counted_trees_;    // before both go; likewise
};

}  // namespace espalier::mpi
