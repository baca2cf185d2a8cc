#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/counted_trees.hpp"
#include "mpi/executor.hpp"
#include "mpi/group_plans.hpp"
#include "mpi/joining.hpp"
#include "mpi/memory_use.hpp"
#include "mpi/neighbour_calls.hpp"
#include "mpi/persistent_channels.hpp"
#include "mpi/starts.hpp"
#include "mpi/tracer.hpp"
#include "mpi/watched_links.hpp"
#include "mpi/world.hpp"
#include "runtime/call_policies.hpp"
#include "runtime/counted_calls.hpp"
#include "runtime/explain.hpp"
#include "runtime/kept_ranks.hpp"
#include "runtime/multicast_plan.hpp"
#include "runtime/plan_cache.hpp"

namespace espalier::mpi {

/// Of the hidden communicators of this process.
[[nodiscard]] ChannelOptions channel_options(const runtime::Settings& settings);

/// How a call would run, as far as that is known before it is made.
struct CallOutlook {
  bool planned = false;
  std::string name;  ///< name of the plan, or "native"
  std::string why;
  std::optional<Time> predicted = {};
  std::optional<Time> native_predicted = {};
};

/// What we know of one communicator of the program. It is an attribute of that communicator and is
/// deleted with it. Engine makes it, and the functions of calls.hpp ask next() before each call.
///
/// MPI lets only one collective at a time run on a communicator, so nothing here needs a lock.
///
/// States, the same on all members at the same call:
///   1. Never: never() says why all calls are native. With Reason::MachineUnknown the state may
///      end; with any other reason it stays.
///   2. No hidden communicator yet: take_machine() was called. The policy of some class of calls
///      (runtime::ClassPolicy) asks for one before a call: it is made after all members compared
///      hashes of machine and plan. If hashes differ or some rank has none left, the state is
///      Never.
///   3. Hidden communicator made: calls run along plans or native, as their policies say.
///   4. Given back: give_back() freed the hidden communicator; the state is Never.
/// A failed planned call changes no state at once, but the hidden communicator is not freed at the
/// end. Messages that it left must not meet calls with the same tags: before that the hidden
/// communicator is given back, unless calls that do not block may be planned on it.
class Communicator {
 public:
  /// @param is_off the communicator's info says that there shall be no plans
  /// @param progress of the process
  Communicator(MPI_Comm comm, const World& world, HiddenShare& share, Groups& groups,
               ProgressEngine& progress, bool is_off);
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
  /// Plans calls for the world's machine, if that was replaced since. All members do this before
  /// the same call that blocks. @pre !never()
  void take_newer_machine() {
    if (taken_ != world_.known()) plan_anew();
  }
  /// Whether all members know the world's machine. Called before each call that finds the machine
  /// unknown. Collective before calls 8, 16, 32 ... of these; before all others the answer is no.
  [[nodiscard]] bool all_know_the_machine();

  /// How the next call runs.
  struct Next {
    const runtime::CachedPlan* plan = nullptr;  ///< nullptr: native
    runtime::Reason why{};                      ///< why the call is native
    bool is_for_good = false;                   ///< all further calls like it are native too
    runtime::ClassPolicy* timed = nullptr;      ///< wants the time of the call; may be nullptr
  };
  /// All members ask before the same call, and get the same answer. May make the hidden
  /// communicator or measure links (collective).
  /// @param key the call; says which plan afterwards
  /// @pre !never()
  [[nodiscard]] Next next(runtime::PlanKey& key);
  /// The plan of a call that must not block; nullptr: native. Local, and counts no call: what it
  /// depends on changes only inside calls that block. So all members get the same answer for the
  /// same call, if the calls on this communicator, of both kinds, are in the same order.
  /// @pre !never()
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> plan_to_start(runtime::PlanKey key);
  /// The plan of a persistent call that is initialised now; nullptr: native. All members ask, and
  /// get the same answer. May make the hidden communicator (collective). @pre !never()
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> plan_to_bind(runtime::PlanKey key);
  /// The plan that plan_to_start() or plan_to_bind() answered last. @pre one of them did
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> started_plan() const {
    return plans_.held();
  }
  /// Why no call that does not block is planned here, if it is so. Local.
  [[nodiscard]] runtime::Reason why_none_starts() const;
  /// Whether persistent calls may be planned at all. All members get the same answer.
  [[nodiscard]] bool may_bind() const;
  /// Whether calls that do not block may be planned here, on all members.
  [[nodiscard]] bool may_all_start() const { return joining_.may_all_start(); }
  /// Calls that do not block.
  [[nodiscard]] Starts& starts() { return starts_; }
  [[nodiscard]] const Starts& starts() const { return starts_; }
  /// See Starts::start().
  [[nodiscard]] int start(std::unique_ptr<PendingCall> call, MPI_Request* request) {
    return starts_.start(std::move(call), executor_->channel(), request, [this] { mark_failed(); });
  }
  /// The others run a call that does not block without this rank, which stays in step.
  void skip_pending() {
    mark_failed();
    starts_.skip();
  }
  [[nodiscard]] PersistentChannels& persistent() { return persistent_; }
  /// Waits for the calls under way that do not block, before this communicator goes. If nothing
  /// happens for so many seconds, leaves them behind.
  void finish_pending(double patience) {
    if (!starts_.finish(patience)) mark_failed();
  }
  /// Waits for agreements under way on the program's communicator, before that is freed. All
  /// members have started them, or will.
  void finish_agreements() {
    joining_.complete_agreement();
    neighbours_.complete_agreements();
  }
  /// Whether a call blocks.
  enum class Blocks : bool { No, Yes };
  /// Settles whether the plan of an allgatherv goes by the lengths of its blocks, which the call
  /// has; else they are taken out, and their mean decides. All members ask before the same call,
  /// and get the same answer. @pre !never()
  /// @return whether calls with these lengths are counted, which only those that block are
  bool take_lengths(runtime::SharedCall& call, Blocks blocks);
  /// What next() would answer for such a call, and why. Local; counts no call.
  [[nodiscard]] CallOutlook outlook(runtime::SharedCall call);
  /// What neighbourhood collectives need.
  [[nodiscard]] NeighbourCalls& neighbours() { return neighbours_; }
  /// See NeighbourCalls::why_none(). @pre !never()
  [[nodiscard]] std::optional<runtime::Reason> why_no_neighbours() {
    return neighbours_.why_none(*group_);
  }
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
  [[nodiscard]] std::vector<runtime::TrialRecord> trials() const;
  /// Seconds that trials cost here so far.
  [[nodiscard]] double regret() const { return policies_.regret(); }
  /// How many classes of calls have no final decision yet.
  [[nodiscard]] std::size_t undecided() const { return policies_.undecided(); }
  /// Adds the decisions of this communicator's trials.
  void add_to(runtime::Verdicts& verdicts) const;
  /// What changed on the links when plans were made anew, a sentence each.
  [[nodiscard]] const std::vector<std::string>& changes() const { return links_.changes(); }
  /// @pre next() returned a plan
  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] CountedTrees& counted_trees();
  /// Memory that the members share.
  [[nodiscard]] const MemoryUse& memory() const { return memory_; }
  [[nodiscard]] SelfLane self() const { return {joining_.hidden(), rank_, 0}; }
  /// Notes that a planned call failed, or that the others ran one without this rank. Messages may
  /// be left on the hidden communicator, so it is abandoned instead of freed, and its share is
  /// lost.
  void mark_failed() {
    has_failed_ = true;
    if (executor_ != nullptr) executor_->channel().note_failure();
    memory_.mark_failed();
  }
  [[nodiscard]] bool holds_hidden() const { return executor_ != nullptr; }
  /// Whether all members are among `ranks`, which are sorted ranks of MPI_COMM_WORLD.
  /// @pre holds_hidden()
  [[nodiscard]] bool has_only(const std::vector<Rank>& ranks) const;
  /// Frees the hidden communicator, or abandons it after a failed call; all further calls are
  /// native. All members do this before the same call. @pre holds_hidden()
  void give_back(runtime::Reason why = runtime::Reason::NotAgreed);

  runtime::CallCounts counts;
  runtime::CallLog log;
  std::uint64_t staging_bytes = 0;  ///< most bytes of copies and partial results in one call
  /// Whether calls are logged (ESPALIER_EXPLAIN).
  [[nodiscard]] bool keeps_log() const { return !world_.settings.explain.empty(); }
  /// Whether irregular calls of this operation go along trees by counts.
  [[nodiscard]] bool goes_by_counts(schedule::Operation operation) const {
    return runtime::is_by_counts(world_.settings, operation);
  }
  std::string last_tree;  ///< name of the tree that the last call by counts went along
  /// Of the channel, also once it was given back.
  [[nodiscard]] const ChannelCounts& channel_counts() const {
    return executor_ == nullptr ? counts_before_ : executor_->channel().counts();
  }
  [[nodiscard]] std::uint64_t plan_bytes() const { return plans_.most_bytes(); }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Executor* executor_if_any() const { return executor_.get(); }
  /// Where calls are taken down (ESPALIER_TRACE); nullptr: nowhere.
  [[nodiscard]] CommunicatorLog* trace_log() const { return trace_log_; }

 private:
  void leave_hidden();
  /// Before each call that blocks and would be planned: gives the hidden communicator back if a
  /// call failed on some rank and its tags are about to come again. The same on all. Not before
  /// calls that are native: some ranks may know that without coming here.
  [[nodiscard]] bool leaves_after_failure();
  [[nodiscard]] std::optional<runtime::Reason> why_never(bool is_off);
  /// Begins to take calls down. Collective.
  void take_down_calls();
  void tell(const runtime::SharedCall& call, const runtime::CachedPlan& plan) const;
  /// Answers an alarm of a watch: measures far links. If some changed, makes all plans anew and
  /// returns true. Collective.
  bool measure_again();
  /// Forgets all plans and classes; plans for this group and its machine from now on.
  void plan_for(std::shared_ptr<GroupPlans> group);
  void plan_anew();
  const runtime::CachedPlan* cached(const runtime::PlanKey& key);
  /// Makes the hidden communicator. Collective. @return false: never() says why not
  bool make_hidden(const runtime::SharedCall& call);
  /// Likewise; what it took goes to the account of the node.
  bool make_hidden_on_node(const runtime::SharedCall& call);
  /// Goes one step towards it. @return whether it is there; never() says if it never is
  bool join_by_steps(const runtime::SharedCall& call);
  /// @return whether it is there
  bool end_joining(Joining::Step step);
  [[nodiscard]] std::uint64_t hash_to_agree(const runtime::SharedCall& call);
  void use_hidden();
  [[nodiscard]] std::vector<runtime::Candidate> candidates(const runtime::SharedCall& call);
  /// A rank's part of a plan.
  [[nodiscard]] runtime::CachedPlan plan_of(Rank rank, const runtime::PlanKey& key);

  MPI_Comm comm_;
  const World& world_;
  Groups& groups_;
  int rank_ = 0;
  int size_ = 1;
  std::optional<runtime::Reason> never_;
  runtime::KeptRanks world_ranks_;  // members in MPI_COMM_WORLD; empty once the machine is known
  std::uint64_t machine_hash_ = 0;
  std::shared_ptr<GroupPlans> group_;  // shared with communicators of the same members in order
  runtime::PlanCache plans_;
  /// The last call, if all like it run along this plan: loops repeat a call, and need not ask its
  /// policy. No plan: there is none such.
  struct Settled {
    runtime::PlanKey key;
    const runtime::CachedPlan* plan = nullptr;
  } settled_;
  runtime::MulticastPlans multicasts_;
  runtime::CountedCalls counted_calls_;
  std::shared_ptr<const runtime::Verdicts> verdicts_;  // must outlive policies_
  runtime::CallPolicies policies_;
  WatchedLinks links_;
  std::vector<runtime::TrialRecord> past_trials_;  // trials before plans were made anew
  std::uint64_t calls_without_machine_ = 0;        // calls that found the machine unknown
  const KnownMachine* taken_ = nullptr;            // the world's machine that plans are made for
  Joining joining_;
  bool may_join_ = false;  // on one node: there was time to choose and join
  bool has_failed_ = false;
  std::unique_ptr<Executor> executor_;           // uses the hidden communicator
  MemoryUse memory_;                             // uses executor_
  std::unique_ptr<CountedTrees> counted_trees_;  // uses executor_; made at its first use
  CommunicatorLog* trace_log_ = nullptr;         // the tracer's
  NeighbourCalls neighbours_;
  Starts starts_;  // uses executor_
  PersistentChannels persistent_;
  ChannelCounts counts_before_;  // of a channel that was given back
};

}  // namespace espalier::mpi
