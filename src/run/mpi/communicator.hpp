#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "mpi/agreed_length.hpp"
#include "mpi/counted_trees.hpp"
#include "mpi/executor.hpp"
#include "mpi/group_plans.hpp"
#include "mpi/late_agreement.hpp"
#include "mpi/neighbourhood.hpp"
#include "mpi/node_level.hpp"
#include "mpi/node_segment.hpp"
#include "mpi/owned.hpp"
#include "mpi/progress_engine.hpp"
#include "mpi/tracer.hpp"
#include "mpi/world.hpp"
#include "runtime/call_policies.hpp"
#include "runtime/count_planner.hpp"
#include "runtime/explain.hpp"
#include "runtime/multicast_plan.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/start_trials.hpp"
#include "select/neighbour_chooser.hpp"
#include "select/shared_memory.hpp"

namespace espalier::mpi {

/// Of the hidden communicators of this process.
[[nodiscard]] ChannelOptions channel_options(const runtime::Settings& settings);

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
  /// Shared memory of the segments that go with hidden communicators.
  SegmentStore memory;

 private:
  std::atomic<int> taken_{0};
  std::atomic<int> most_{0};
  std::atomic<bool> is_closed_{false};
};

/// The members of a communicator as ranks of MPI_COMM_WORLD; absent if some member is outside it.
/// @pre `comm` is no intercommunicator
[[nodiscard]] std::optional<std::vector<Rank>> ranks_in_world(MPI_Comm comm);

/// A communicator with the same ranks; empty on all ranks if some rank cannot have one. Errors are
/// returned on it. @param rank orders its ranks
[[nodiscard]] OwnedComm hidden_copy(MPI_Comm from, int rank);

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
  /// Why the call that does not block is native, if it is: plan_to_start() says so. Whoever starts
  /// a call sets it before, for calls that do not come so far.
  runtime::Reason why_native_start = runtime::Reason::NonBlocking;
  /// Why no call that does not block is planned here, if it is so. Local.
  [[nodiscard]] runtime::Reason why_none_starts() const;
  /// Whether the call that plan_to_start() was asked for last is to be started natively and timed:
  /// adopt() its request then.
  [[nodiscard]] bool times_native_start() const {
    return timed_.trial != nullptr && !timed_.is_planned;
  }
  /// Takes the request of a native call whose times are wanted, and gives the program one of ours.
  /// @pre times_native_start()
  void adopt(MPI_Request* request) {
    progress_.adopt(request, executor_->channel(), comm_, std::exchange(timed_, {}));
  }
  /// The plan that plan_to_start() or plan_to_bind() answered last. @pre one of them did
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> started_plan() const {
    return plans_.held();
  }
  /// Nobody starts the call that plan_to_start() was asked for last.
  void drop_start();
  /// Starts a call along a plan. Never waits.
  void start(std::unique_ptr<PendingCall> call, MPI_Request* request);
  /// The plan of a persistent call that is initialised now; nullptr: native. All members ask, and
  /// get the same answer. May make the hidden communicator (collective). @pre !never()
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> plan_to_bind(runtime::PlanKey key);
  /// A channel for a persistent call alone; nullptr, on all members: there is none left.
  /// Collective.
  [[nodiscard]] std::shared_ptr<PersistentChannel> take_channel();
  /// Makes the request of a persistent call that has its channel. Local.
  void bind(std::unique_ptr<PendingCall> call, MPI_Request* request);
  /// The others run a call that does not block without this rank, which stays in step.
  void skip_pending();
  /// Waits for the calls under way that do not block, before this communicator goes. If nothing
  /// happens for so many seconds, leaves them behind.
  void finish_pending(double patience);
  /// Waits for agreements under way on the program's communicator, before that is freed. All
  /// members have started them, or will.
  void finish_agreements();
  /// As finish_pending() for persistent calls, at the end of the program: they may outlive this
  /// communicator.
  void finish_persistent(double patience);
  /// What next() would answer for such a call, and why. Local; counts no call.
  [[nodiscard]] CallOutlook outlook(const runtime::SharedCall& call);
  /// This rank's neighbours, if the communicator has a topology. Local.
  [[nodiscard]] const OwnNeighbours& own_neighbours();
  /// Why a neighbourhood collective is native before its class is asked; absent: all ranks know all
  /// neighbours. All members ask before the same call, and get the same answer. May be collective.
  /// @pre !never()
  [[nodiscard]] std::optional<runtime::Reason> why_no_neighbours();
  /// About how long blocks are in neighbourhood collectives of this kind; absent: not agreed on
  /// yet. All members get the same answer before the same call. Changes only in agree_on_block().
  [[nodiscard]] std::optional<std::uint64_t> agreed_block(schedule::Operation operation) const;
  /// Called before each of these calls that blocks, by all members.
  /// @param longest bytes of this rank's longest block in the call
  /// @return whether lengths matter: then all members must call this before all later calls too
  bool agree_on_block(schedule::Operation operation, std::uint64_t longest);
  /// Whether all neighbours were told. Local; changes only inside calls that may wait.
  [[nodiscard]] bool knows_neighbours() const {
    return neighbourhood_ != nullptr && neighbourhood_->graph() != nullptr;
  }
  /// Whether persistent calls may be planned at all. All members get the same answer.
  [[nodiscard]] bool may_bind() const;
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
  /// Trials of calls that do not block.
  [[nodiscard]] std::vector<runtime::StartRecord> start_records() const {
    return starts_.records(name());
  }
  /// Seconds that trials cost here so far.
  [[nodiscard]] double regret() const { return policies_.regret(); }
  /// How many classes of calls have no final decision yet.
  [[nodiscard]] std::size_t undecided() const { return policies_.undecided(); }
  /// Adds the decisions of this communicator's trials.
  void add_to(runtime::Verdicts& verdicts) const;
  /// What changed on the links when plans were made anew, a sentence each.
  [[nodiscard]] const std::vector<std::string>& changes() const { return changes_; }
  /// @pre next() returned a plan
  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] CountedTrees& counted_trees();
  /// Shared memory of the members; nullptr: planned calls go by messages.
  [[nodiscard]] NodeSegment* segment() const { return segment_.get(); }
  /// Shared memory inside the nodes of the members. @pre a plan over memory was made
  [[nodiscard]] NodeLevel& node_level() const { return *node_level_; }
  /// What a plan is called: its name, or that calls go through shared memory instead.
  [[nodiscard]] std::string_view name_of_plan(const runtime::CachedPlan& plan) const {
    if (!goes_through_memory(plan)) return plan.name;
    return plan.is_one_copy ? select::kOneCopy : select::kSharedMemory;
  }
  [[nodiscard]] SelfLane self() const { return {hidden_.get(), rank_, 0}; }
  /// Notes that a planned call failed, or that the others ran one without this rank. Messages may
  /// be left on the hidden communicator, so it is abandoned instead of freed, and its share is
  /// lost.
  void mark_failed() {
    has_failed_ = true;
    if (executor_ != nullptr) executor_->channel().note_failure();
    if (segment_ != nullptr) segment_->mark_failed();
    if (node_level_ != nullptr) node_level_->mark_failed();
  }
  [[nodiscard]] bool holds_hidden() const { return executor_ != nullptr; }
  /// Whether all members are among `ranks`, which are sorted ranks of MPI_COMM_WORLD.
  /// @pre holds_hidden()
  [[nodiscard]] bool has_only(const std::vector<Rank>& ranks) const;
  /// Frees the hidden communicator, or abandons it after a failed call; all further calls are
  /// native. All members do this before the same call. @pre holds_hidden()
  void give_back(runtime::Reason why = runtime::Reason::NotAgreed);
  /// Whether calls that do not block may be planned here, on all members.
  [[nodiscard]] bool may_all_start() const { return may_all_start_; }

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
  /// Messages that this rank sent along plans, by level.
  [[nodiscard]] std::span<const LevelCount> sent() const {
    return executor_ == nullptr ? std::span<const LevelCount>(sent_before_)
                                : executor_->channel().sent();
  }
  /// As Channel::held_back().
  [[nodiscard]] std::uint64_t held_back() const {
    return std::max(held_back_before_, executor_ ? executor_->channel().held_back() : 0);
  }
  /// As Channel::most_counted().
  [[nodiscard]] std::uint64_t most_counted() const {
    return std::max(most_counted_before_, executor_ ? executor_->channel().most_counted() : 0);
  }
  [[nodiscard]] std::uint64_t plan_bytes() const { return plans_.most_bytes(); }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Executor* executor_if_any() const { return executor_.get(); }
  /// Where calls are taken down (ESPALIER_TRACE); nullptr: nowhere.
  [[nodiscard]] CommunicatorLog* trace_log() const { return trace_log_; }

 private:
  void abandon_channels();
  void leave_hidden();
  /// Before each call that blocks and would be planned: gives the hidden communicator back if a
  /// call failed on some rank and its tags are about to come again. The same on all. Not before
  /// calls that are native: some ranks may know that without coming here.
  [[nodiscard]] bool leaves_after_failure();
  [[nodiscard]] std::optional<runtime::Reason> why_never(bool is_off);
  /// Makes the hidden communicator and the executor, if all members have the same hash and room.
  [[nodiscard]] bool agree_and_copy(std::uint64_t hash);
  /// Begins to take calls down. Collective.
  void take_down_calls();
  void tell(const runtime::SharedCall& call, const runtime::CachedPlan& plan) const;
  /// Answers an alarm of a watch: measures far links. If some changed, makes all plans anew and
  /// returns true. Collective.
  bool measure_again();
  /// Whether the account pays for that. Agreed on by all members; whoever names a machine wants it
  /// at any time.
  [[nodiscard]] bool is_time_to_measure();
  /// Forgets all plans and classes; plans for this group and its machine from now on.
  void plan_for(std::shared_ptr<GroupPlans> group);
  const runtime::CachedPlan* cached(const runtime::PlanKey& key);
  /// What a call that blocks does before it is planned, for those that do not.
  void prepare_to_block();
  /// Which plan a start goes along; absent: native. See plan_to_start().
  [[nodiscard]] std::optional<select::WhichPlan> which_to_start(const runtime::SharedCall& call);
  void plan_anew();
  /// Makes the hidden communicator. Collective. @return false: never() says why not
  bool make_hidden(const runtime::SharedCall& call);
  void end_joining_by_steps();
  /// Likewise; what it took goes to the account.
  bool make_hidden_at_once(const runtime::SharedCall& call);
  void spend_on_node(double seconds) const;
  /// Goes one step towards the hidden communicator without making the program wait: asks whether
  /// all ranks agree and there is time for it, makes it, asks whether all have made it. Called
  /// before each call that would gain. @return whether it is there; never() says if it never is
  bool join_by_steps(const runtime::SharedCall& call);
  [[nodiscard]] std::uint64_t hash_to_agree(const runtime::SharedCall& call);
  /// Whether calls that do not block could run along plans, as far as this rank knows.
  [[nodiscard]] bool may_start();
  void use_hidden(bool may_all_start);
  /// Makes what the first call that does not block needs. Local.
  void begin_starting();
  /// Whether the members are to have a segment of shared memory. All get the same answer.
  [[nodiscard]] bool wants_segment() const;
  /// Likewise, a segment in each of several nodes.
  [[nodiscard]] bool wants_node_level() const;
  /// Whether they were to have memory, and could not.
  [[nodiscard]] bool lacks_memory() const {
    return (wants_segment() && segment_ == nullptr) ||
           (wants_node_level() && node_level_ == nullptr);
  }
  /// Whether calls may go over the memory of several nodes, or could once it is made.
  [[nodiscard]] bool may_go_over_memory() const;
  /// With calls over the memory of several nodes among them.
  [[nodiscard]] std::vector<runtime::Candidate> with_memory(std::vector<runtime::Candidate> all,
                                                            const runtime::SharedCall& call);
  /// Whether it is time for a trial on one node: what choosing a plan and making the hidden
  /// communicator and the segment takes, and all our work before, must stay within the account. All
  /// members ask before the same call; collective before calls 1, 6, 15 ... of these, and begins
  /// anew after a yes.
  [[nodiscard]] bool is_time_to_try();
  /// Whether long calls through memory are to be copied once. All get the same answer.
  [[nodiscard]] bool wants_one_copy() const;
  /// Whether they were to be, but some member cannot read another's memory.
  [[nodiscard]] bool lacks_one_copy() const {
    return segment_ != nullptr && !segment_->reads_peers() && wants_one_copy();
  }
  /// What was wanted could not be had: there are fewer candidates, and trials begin again.
  void do_without();
  [[nodiscard]] bool goes_through_memory(const runtime::CachedPlan& plan) const {
    return segment_ != nullptr && !plan.has_gaps && NodeSegment::may_serve(plan.call);
  }
  [[nodiscard]] std::vector<runtime::Candidate> candidates(const runtime::SharedCall& call);
  /// A rank's part of a plan.
  [[nodiscard]] runtime::CachedPlan plan_of(Rank rank, const runtime::PlanKey& key);
  /// @pre !why_no_neighbours()
  [[nodiscard]] select::NeighbourChooser& neighbour_chooser();
  /// Finds all neighbours. Collective on a distributed graph, whose ranks tell each other.
  void tell_neighbours_at_once();
  /// Likewise, when there is time for it. @return whether that is over
  bool tell_neighbours_by_steps();
  [[nodiscard]] int processes_of_node() const;

  MPI_Comm comm_;
  const World& world_;
  HiddenShare& share_;
  Groups& groups_;
  ProgressEngine& progress_;
  int rank_ = 0;
  int size_ = 1;
  std::optional<runtime::Reason> never_;
  std::vector<Rank> world_ranks_;  // members in MPI_COMM_WORLD; empty once the machine is known
  std::uint64_t machine_hash_ = 0;
  std::shared_ptr<GroupPlans> group_;  // shared with communicators of the same members in order
  runtime::PlanCache plans_;
  /// The last call, if all like it run along this plan: loops repeat a call, and need not ask its
  /// policy. No plan: there is none such.
  struct Settled {
    runtime::PlanKey key;
    const runtime::CachedPlan* plan = nullptr;
  } settled_;
  std::map<std::vector<runtime::MulticastCall>, runtime::CachedPlan> multicasts_;
  std::unique_ptr<Neighbourhood> neighbourhood_;  // absent before the first call for neighbours
  std::unique_ptr<select::NeighbourChooser> neighbour_chooser_;  // uses neighbourhood_ and group_
  std::map<schedule::Operation, AgreedLength> block_lengths_;    // of neighbourhood collectives
  std::uint32_t neighbour_calls_ = 0;  // calls before neighbours were told
  runtime::Asking asking_to_tell_{0};
  std::unique_ptr<LateAgreement> telling_;  // a step of tell_neighbours_by_steps() is under way
  std::uint32_t telling_calls_ = 0;         // calls since it was started
  std::shared_ptr<const runtime::Verdicts> verdicts_;  // must outlive policies_
  runtime::CallPolicies policies_;
  OwnedComm probes_;  // communicator to measure links on; made at the first alarm
  std::vector<std::string> changes_;
  std::vector<runtime::TrialRecord> past_trials_;  // trials before plans were made anew
  std::uint64_t calls_without_machine_ = 0;        // calls that found the machine unknown
  const KnownMachine* taken_ = nullptr;            // the world's machine that plans are made for
  runtime::Asking asking_to_join_{0};
  bool asks_to_join_ =
      false;               // some class gains over far links; it was asked whether there is time
  bool may_join_ = false;  // on one node: there was time to choose and join
  std::uint32_t join_calls_ = 0;                   // calls since join_agreement_ was started
  std::unique_ptr<LateAgreement> join_agreement_;  // a step of join_by_steps() is under way
  bool holds_share_ = false;
  bool has_failed_ = false;
  OwnedComm hidden_;
  std::unique_ptr<Executor> executor_;           // uses hidden_, so it is destroyed before
  std::unique_ptr<NodeSegment> segment_;         // uses executor_; absent: there is none
  std::unique_ptr<NodeLevel> node_level_;        // likewise
  bool does_without_segment_ = false;            // memory was wanted, and could not be had
  bool does_without_one_copy_ = false;           // it was wanted, and is not allowed
  std::unique_ptr<CountedTrees> counted_trees_;  // uses executor_; made at its first use
  CommunicatorLog* trace_log_ = nullptr;         // the tracer's
  bool may_all_start_ = false;  // calls that do not block may go along plans, on all members
  /// Calls that do not block; absent before the first of them that may go along a plan. Uses
  /// executor_.
  std::unique_ptr<PendingCalls> pending_;
  runtime::StartTrials starts_;
  TimedStart timed_;  // of the call that is about to start; no trial: nobody wants its times
  /// Of persistent calls, as many on all members. They are never freed: requests may outlive the
  /// communicator.
  std::vector<std::shared_ptr<PersistentChannel>> channels_;
  // Of a channel that was given back.
  std::vector<LevelCount> sent_before_;
  std::uint64_t held_back_before_ = 0;
  std::uint64_t most_counted_before_ = 0;
};

}  // namespace espalier::mpi
