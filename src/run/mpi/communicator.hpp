#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/class_plans.hpp"
#include "mpi/persistent_channels.hpp"
#include "mpi/planned_machine.hpp"
#include "mpi/starts.hpp"
#include "runtime/explain.hpp"

namespace espalier::mpi {

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
/// A failed planned call changes no state at once. Before calls with the same tags the hidden
/// communicator is given back, unless calls that do not block may be planned on it.
class Communicator {
 public:
  /// @param is_off the communicator's info says that there shall be no plans
  /// @param progress of the process
  Communicator(MPI_Comm comm, const World& world, HiddenShare& share, Groups& groups,
               ProgressEngine& progress, bool is_off);
  ~Communicator() { leave_hidden(); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return user_.handle; }
  [[nodiscard]] int rank() const { return user_.rank; }
  [[nodiscard]] int size() const { return user_.size; }
  [[nodiscard]] std::string name() const { return user_.name(); }
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
  [[nodiscard]] bool holds_world() const { return size() == world_.size; }
  /// Plans calls for the world's machine from now on. All members do this before the same call.
  /// @pre never() is MachineUnknown, and the world's machine is known
  void take_machine();
  /// Plans calls for the world's machine, if that was replaced since. All members do this before
  /// the same call that blocks. @pre !never()
  void take_newer_machine();

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
  /// The plan of a persistent call that is initialised now; nullptr: native. All members ask, and
  /// get the same answer. May make the hidden communicator (collective). @pre !never()
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> plan_to_bind(runtime::PlanKey key);
  /// Whether persistent calls may be planned at all. All members get the same answer.
  [[nodiscard]] bool may_bind() const {
    return world_.settings.nonblocking == runtime::NonBlocking::Planned && !world_.is_threaded;
  }
  /// Whether multicasts run along plans here. All members get the same answer. May make the hidden
  /// communicator (collective).
  [[nodiscard]] bool can_multicast();

  // Its parts.
  [[nodiscard]] HiddenUse& hidden() { return hidden_; }
  [[nodiscard]] const HiddenUse& hidden() const { return hidden_; }
  [[nodiscard]] NeighbourCalls& neighbours() { return neighbours_; }
  [[nodiscard]] ClassPlans& plans() { return plans_; }
  [[nodiscard]] const ClassPlans& plans() const { return plans_; }
  [[nodiscard]] PlannedMachine& machine() { return machine_; }
  [[nodiscard]] const PlannedMachine& machine() const { return machine_; }
  [[nodiscard]] Starts& starts() { return starts_; }
  [[nodiscard]] PersistentChannels& persistent() { return persistent_; }

  /// See NeighbourCalls::why_none(). @pre !never()
  [[nodiscard]] std::optional<runtime::Reason> why_no_neighbours() {
    return neighbours_.why_none(*plans_.group());
  }
  /// Waits for agreements under way on the program's communicator, before that is freed. All
  /// members have started them, or will.
  void finish_agreements() {
    hidden_.joining().complete_agreement();
    neighbours_.complete_agreements();
  }
  /// Frees the hidden communicator, if all members are among `ranks`, which are sorted ranks of
  /// MPI_COMM_WORLD; abandons it after a failed call. All further calls are native then. All
  /// members do this before the same call.
  /// @param keeps_startable not if calls that do not block may be planned here, on all members
  void give_back_within(const std::vector<Rank>& ranks, bool keeps_startable);

  // For the log and counters.
  runtime::CallCounts counts;
  runtime::CallLog log;
  std::uint64_t staging_bytes = 0;  ///< most bytes of copies and partial results in one call
  std::string last_tree;            ///< name of the tree that the last call by counts went along
  /// Whether calls are logged (ESPALIER_EXPLAIN).
  [[nodiscard]] bool keeps_log() const { return !world_.settings.explain.empty(); }
  /// Whether irregular calls of this operation go along trees by counts.
  [[nodiscard]] bool goes_by_counts(schedule::Operation operation) const {
    return runtime::is_by_counts(world_.settings, operation);
  }

 private:
  [[nodiscard]] std::optional<runtime::Reason> why_never(bool is_off);
  void leave_hidden();
  void give_back(runtime::Reason why);
  /// Before each call that blocks and would be planned: gives the hidden communicator back if a
  /// call failed on some rank and its tags are about to come again. The same on all. Not before
  /// calls that are native: some ranks may know that without coming here.
  [[nodiscard]] bool leaves_after_failure();
  /// Makes the hidden communicator. Collective. @return false: never() says why not
  bool make_hidden(const runtime::SharedCall& call);
  /// Goes one step towards it, or makes it at the expense of the node's account where the machine
  /// was known from the start. @return whether it is there; never() says if it never is
  bool join(const runtime::SharedCall& call);
  bool end_joining(Joining::State state);
  /// Whether there is time for a trial on one node; see Joining.
  [[nodiscard]] bool is_time_to_try() {
    return hidden_.joining().is_time_to_try(*plans_.group(), hidden_.memory());
  }

  const World& world_;
  const UserComm user_;
  std::optional<runtime::Reason> never_;
  bool may_join_ = false;  // on one node: there was time to choose and join
  HiddenUse hidden_;
  NeighbourCalls neighbours_;
  ClassPlans plans_;        // uses the two above
  PlannedMachine machine_;  // uses plans_
  Starts starts_;           // uses hidden_ and plans_
  PersistentChannels persistent_;
};

}  // namespace espalier::mpi
