#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

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

/// Counts the hidden communicators of this process, abandoned ones included, up to a cap: MPICH has
/// 2,045 communicators for each process, and the program needs them too. Any thread may use it.
class HiddenShare {
 public:
  static constexpr int kMost = 128;
  /// Takes one, if there is one left.
  [[nodiscard]] bool take();
  void give_back();
  /// From now on take() fails.
  void close() { is_closed_.store(true); }
  [[nodiscard]] int taken() const;
  /// The most that were taken at a time.
  [[nodiscard]] int most() const { return most_.load(); }

 private:
  std::atomic<int> taken_{0};
  std::atomic<int> most_{0};
  std::atomic<bool> is_closed_{false};
};

/// The members of a communicator as ranks of MPI_COMM_WORLD; absent if some member is outside it.
/// @pre `comm` is no intercommunicator
[[nodiscard]] std::optional<std::vector<Rank>> ranks_in_world(MPI_Comm comm);

/// How a call would run, as far as that is known before it is made.
struct CallOutlook {
  bool planned = false;
  std::string name;  ///< name of the plan, or "native"
  std::string why;
  std::optional<Time> predicted = {};
  std::optional<Time> native_predicted = {};
};

/// What we know of one communicator of the program. It is an attribute of that communicator and is
/// deleted with it. Engine makes it, and asks plan() before each call.
///
/// MPI lets only one collective at a time run on a communicator, so nothing here needs a lock.
///
/// States, the same on all members at the same call:
///   1. Never: never() says why all calls are native. With Reason::MachineUnknown the state may
///      end; with any other reason it stays.
///   2. No hidden communicator yet: take_machine() was called. Each class of calls has its policy
///      (runtime::ClassPolicy). The first call that would run along a plan or begin a trial is
///      native. The next such call makes the hidden communicator, after all members compared hashes
///      of machine and plan. If hashes differ or some rank has none left, the state is Never.
///   3. Hidden communicator made: calls run along plans or native, as their policies say.
///   4. Given back: give_back() freed the hidden communicator; the state is Never.
/// A failed planned call changes no state, but the hidden communicator is not freed at the end.
class Communicator {
 public:
  /// @param is_off the communicator's info says that there shall be no plans
  Communicator(MPI_Comm comm, const World& world, HiddenShare& share, Groups& groups, bool is_off);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Why every call here is native; absent if some may be planned. MachineUnknown may end: see
  /// take_machine().
  [[nodiscard]] std::optional<runtime::Reason> never() const { return never_; }
  /// Whether the members are several processes of MPI_COMM_WORLD, in one group. All members get the
  /// same answer. If not, others may lack our library, and nothing collective may be done.
  [[nodiscard]] bool is_within_world() const {
    return never_ != runtime::Reason::OneProcess && never_ != runtime::Reason::Intercommunicator &&
           never_ != runtime::Reason::OutsideWorld;
  }
  /// Whether all processes of MPI_COMM_WORLD are members, in any order.
  [[nodiscard]] bool holds_world() const { return size_ == world_.size; }
  /// Plans calls for the world's machine from now on. All members do this before the same call.
  /// @pre never() is MachineUnknown, and the world's machine is known
  void take_machine();
  /// Whether all members know the world's machine. Called before each call that finds the machine
  /// unknown. Collective before calls 1, 2, 4, 8 ... of these; before all others the answer is no.
  [[nodiscard]] bool all_know_the_machine();

  /// The plan for the next call. All members get the same answer. May make the hidden communicator
  /// (collective).
  /// @return nullptr if the call is native; then `reason` says why
  /// @pre !never()
  const runtime::CachedPlan* plan(const runtime::PlanKey& key, runtime::Reason& reason);
  /// What plan() would answer for the next such call, and why. Local; counts no call.
  [[nodiscard]] CallOutlook outlook(const runtime::PlanKey& key);
  /// Whether multicasts run along plans here. All members get the same answer. May make the hidden
  /// communicator (collective).
  [[nodiscard]] bool can_multicast();
  /// The plan for one multicast or for several at once.
  /// @pre can_multicast(); at most kMulticastsAtOnce calls
  const runtime::CachedPlan& multicast_plan(const std::vector<runtime::MulticastCall>& calls);
  /// The machine that plans are made for; nullptr before take_machine().
  [[nodiscard]] const topology::Machine* machine() const {
    return group_ == nullptr ? nullptr : &group_->machine();
  }
  /// After plan() returned nullptr: whether all further calls like that one are native too. If not,
  /// plan() must be asked for each call, so that all ranks count alike.
  [[nodiscard]] bool is_for_good() const { return is_for_good_; }
  /// The policy that wants the time of the call of the last plan(); nullptr: none does. Asking
  /// resets it.
  [[nodiscard]] runtime::ClassPolicy* timed() { return std::exchange(timed_, nullptr); }
  [[nodiscard]] std::vector<runtime::TrialRecord> trials() const;
  /// How many classes of calls have no final decision yet.
  [[nodiscard]] std::size_t undecided() const;
  /// Adds the decisions of this communicator's trials.
  void add_to(runtime::Verdicts& verdicts) const;
  /// What changed on the links when plans were made anew, a sentence each.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
  /// @pre plan() returned a plan
  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] CountedTrees& counted_trees();
  [[nodiscard]] SelfLane self() const { return {hidden_.get(), rank_, 0}; }
  /// Notes that a planned call failed, or that the others ran one without this rank. Messages may
  /// be left on the hidden communicator, so it is abandoned instead of freed, and its share is
  /// lost.
  void mark_failed() { has_failed_ = true; }
  [[nodiscard]] bool holds_hidden() const { return executor_ != nullptr && !has_failed_; }
  /// Whether all members are among `ranks`, which are sorted ranks of MPI_COMM_WORLD.
  /// @pre holds_hidden()
  [[nodiscard]] bool has_only(const std::vector<Rank>& ranks) const;
  /// Frees the hidden communicator; all further calls are native. All members do this before the
  /// same call. @pre holds_hidden()
  void give_back();

  runtime::CallCounts counts;
  runtime::CallLog log;
  std::uint64_t staging_bytes = 0;  ///< most bytes of copies and partial results in one call
  [[nodiscard]] std::uint64_t plan_bytes() const { return plans_.most_bytes(); }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Executor* executor_if_any() const { return executor_.get(); }

 private:
  [[nodiscard]] std::optional<runtime::Reason> why_never(bool is_off);
  /// Makes the hidden communicator and the executor, if all members have the same hash and room.
  [[nodiscard]] bool agree_and_copy(std::uint64_t plan_hash);
  void tell(const runtime::PlanKey& key, const runtime::CachedPlan& plan) const;
  struct ClassState {
    std::uint32_t calls_until_policy = 0;            // native calls to come before the policy
    std::unique_ptr<runtime::ClassPolicy> policy;    // absent before the first call that it decides
    std::unique_ptr<LateAgreement> agreement;        // used by the trial; absent once decided
    std::unique_ptr<LateAgreement> watch_agreement;  // used by the watch
  };
  ClassState& state_of(const runtime::PlanKey& key);
  void forget_classes();
  /// The candidate of the next call of this class; absent: native. Steps the trial and the watch.
  std::optional<select::WhichPlan> which_plan(ClassState& state, const runtime::PlanKey& key);
  [[nodiscard]] bool is_watched() const { return executor_ != nullptr && may_change(); }
  [[nodiscard]] bool may_change() const { return !group_->far_pairs().empty(); }
  /// Makes the policy of a class, with the decision of an earlier run if there is one.
  runtime::ClassPolicy& begin_policy(ClassState& state, const runtime::PlanKey& key);
  /// Answers an alarm of a watch: measures far links. If some changed, makes all plans anew and
  /// returns true. Collective.
  bool measure_again();
  /// Forgets all plans and classes; plans for this group and its machine from now on.
  void plan_for(std::shared_ptr<GroupPlans> group);
  const runtime::CachedPlan* cached(const runtime::PlanKey& key);
  [[nodiscard]] runtime::Reason why_native(const runtime::ClassPolicy& policy) const;
  /// Whether this call is native because it is the first that would gain: many communicators are
  /// freed soon. Counts the call.
  bool is_among_the_first();
  bool make_hidden(const runtime::PlanKey& key);

  MPI_Comm comm_;
  const World& world_;
  HiddenShare& share_;
  Groups& groups_;
  int rank_ = 0;
  int size_ = 1;
  std::optional<runtime::Reason> never_;
  std::vector<Rank> world_ranks_;  // members in MPI_COMM_WORLD; empty once the machine is known
  std::uint64_t machine_hash_ = 0;
  std::shared_ptr<GroupPlans> group_;  // shared with communicators of the same members in order
  runtime::PlanCache plans_;
  std::map<std::vector<runtime::MulticastCall>, runtime::CachedPlan> multicasts_;
  std::map<runtime::CallClass, ClassState> classes_;
  runtime::CallClass last_class_;
  ClassState* last_state_ = nullptr;
  runtime::ClassPolicy* timed_ = nullptr;
  bool is_for_good_ = false;
  OwnedComm probes_;  // communicator to measure links on; made at the first alarm
  std::vector<std::string> changes_;
  std::vector<runtime::TrialRecord> past_trials_;  // trials before plans were made anew
  std::uint64_t gainful_calls_ = 0;                // calls that would run along a plan
  std::uint64_t calls_without_machine_ = 0;        // calls that found the machine unknown
  bool holds_share_ = false;
  bool has_failed_ = false;
  OwnedComm hidden_;
  std::unique_ptr<Executor> executor_;           // uses hidden_, so it is destroyed before
  std::unique_ptr<CountedTrees> counted_trees_;  // uses executor_; made at its first use
};

}  // namespace espalier::mpi
