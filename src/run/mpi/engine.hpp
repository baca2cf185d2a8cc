#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/calls.hpp"
#include "mpi/registry.hpp"
#include "mpi/socket_looks.hpp"
#include "mpi/topology_attributes.hpp"
#include "profile/profile.hpp"

namespace espalier::mpi {

/// The runtime of one process between MPI_Init and MPI_Finalize: knows all communicators of the
/// program, and runs its collectives along plans or says that they are native.
///
/// The wrappers (src/run/pmpi) call it, from any thread that calls MPI:
///   1. start() behind MPI_Init.
///   2. run() for each collective. If it was not planned, the wrapper calls the MPI library.
///   3. begin_free(), end_free() around each free of a communicator.
///   4. The destructor in MPI_Finalize, which writes ESPALIER_EXPLAIN and ESPALIER_VERDICTS.
class Engine {
 public:
  /// Collective over MPI_COMM_WORLD, but may wait for nobody: see enter_world().
  /// @param passed functions that note_passed() counts
  /// @param is_unfit this process failed the self-test: see enter_world()
  /// @return nullptr if all calls are native, on all ranks
  static std::unique_ptr<Engine> start(std::span<const runtime::PassedFunction> passed,
                                       bool is_unfit);
  ~Engine();

  /// Called before and after MPI_Comm_free and MPI_Comm_disconnect: see Registry.
  void begin_free(MPI_Comm comm) {
    const ProgressEngine::Inside inside;
    // With several threads looks travel on MPI_COMM_WORLD alone.
    if (looks_ != nullptr && !world_->is_threaded) looks_->leave(comm);
    registry_->begin_free(comm);
  }
  void end_free(MPI_Comm comm, bool is_gone) { registry_->end_free(comm, is_gone); }
  /// Whether hidden communicators may be given back when MPI has none left; MPICH has 2,048. Not by
  /// how many this rank made: others may have made fewer, and all must do the same. Not with
  /// several threads, which may be in calls on hidden communicators.
  [[nodiscard]] bool may_give_back() const { return !world_->is_threaded; }
  /// Frees the hidden communicators whose members all belong to `among`, and makes no more. Called
  /// by all members of `among` after a call failed to make a communicator from it.
  /// Gives none back if a call that does not block was planned on some member.
  /// @return whether to try that call again
  bool give_back(MPI_Comm among);
  /// Likewise, where those that call it, all members of these groups, have no communicator of their
  /// own. Asks nobody: so those stay on which calls that do not block may be planned.
  bool give_back_to(std::initializer_list<MPI_Group> groups);

  /// Finds the machine now, if it is not known yet (for include/espalier.h). Collective over
  /// MPI_COMM_WORLD. @return whether the machine is known
  bool discover();
  struct Placed {
    const topology::Machine* machine = nullptr;  ///< the world's machine; nullptr: not known yet
    /// Members of the communicator as ranks of the machine. Empty for intercommunicators, and if
    /// some member is outside MPI_COMM_WORLD.
    std::vector<Rank> ranks;
  };
  /// Where the members of a communicator run. Local.
  [[nodiscard]] Placed placed(MPI_Comm comm) const;
  /// Depths and colours as attributes of communicators.
  [[nodiscard]] TopologyAttributes& attributes() { return attributes_; }

  // engine_reorder.cpp
  /// Whether virtual topologies on a communicator are reordered. All its ranks get the same answer.
  /// Collective over it as long as the world has not agreed (World::is_agreed).
  [[nodiscard]] bool reorders(MPI_Comm comm);
  /// A new communicator whose first `nodes` ranks fit a graph that communicates along `pairs`.
  /// Collective. @pre reorders(comm)
  /// @param pairs who sends to whom; nullptr if this process does not know
  /// @return MPI_COMM_NULL, on all ranks, if no process knows any pair
  MPI_Comm reordered(MPI_Comm comm, int nodes, const std::vector<profile::Pair>* pairs);

  /// MPI's code for a handle: an error if it is of no communicator, but for MPI_COMM_NULL. The
  /// program's error handler has it then, and may throw or jump away: asked before anything else.
  [[nodiscard]] int check(MPI_Comm comm) const { return registry_->check(comm); }
  /// Runs a call along a plan, or says that it is native.
  [[nodiscard]] Outcome run(const LocalCall& call);
  /// Starts a call that does not block along a plan, or says that it is native. Never waits.
  [[nodiscard]] Outcome start(const LocalCall& call, MPI_Request* request);
  /// Takes over the native start of a call, if start() said so. @param code of that start
  void adopt(const LocalCall& call, int code, MPI_Request* request);
  /// Makes a persistent call along a plan, or says that it is native. Collective.
  [[nodiscard]] Outcome init(const LocalCall& call, MPI_Request* request);
  /// Planned persistent calls.
  [[nodiscard]] PersistentCalls& persistent() { return registry_->progress().persistent(); }
  /// Whether a request is of a planned call that is under way.
  [[nodiscard]] bool is_pending(MPI_Request request) const {
    const ProgressEngine::Inside inside;
    return registry_->progress().is_open(request);
  }
  /// The program frees a request. @return false: it is of no planned call that is under way
  bool let_go(MPI_Request request) {
    const ProgressEngine::Inside inside;
    return registry_->progress().let_go(request);
  }
  /// Lets a thread go on with calls that were started (ESPALIER_PROGRESS_THREAD).
  void run_progress_thread() { registry_->progress().run_thread(); }
  /// Hands the time of a native call to whoever wants it: a trial, a watch, the log.
  /// @param seconds how long it took on this rank
  void note_native(const LocalCall& call, const Outcome& outcome, double seconds);
  /// Whether native calls shall be timed for the log.
  [[nodiscard]] bool keeps_log() const { return !world_->settings.explain.empty(); }

  // For include/espalier/communicator.hpp
  /// Whether multicasts ran along plans, and their code; see mpi::multicasts().
  [[nodiscard]] Outcome multicasts(std::span<const Multicast> several, MPI_Comm comm);
  /// How such a call would run. Local.
  [[nodiscard]] CallOutlook outlook(const runtime::SharedCall& call, MPI_Comm comm);

  /// A counter, for tests. Names: "planned", "native", "planned.broadcast", "native.MPI_Ibcast"
  /// (calls), "messages.0", "bytes.0" (sent over level 0), "hidden", "communicators" (now),
  /// "undecided" (classes without a decision), "groups" (groups of ranks that communicators had),
  /// "choices" (how often a plan or a class policy was asked for), "groups with nodes" (those whose
  /// nodes somebody wanted to know), "agreements left" (allreduces of ours that MPI was left with),
  /// "most unconfirmed" (bytes: ChannelCounts).
  [[nodiscard]] std::uint64_t count(const std::string& name) { return registry_->count(name); }
  /// Counts a native call of one of the functions that start() was told.
  /// @param why absent: by the kind of the function
  void note_passed(std::size_t which, std::optional<runtime::Reason> why = {}) {
    ledger_->note_passed(which, why);
  }
  /// Obeys the key "espalier" of a communicator's new info: plans on or off. Collective over the
  /// communicator, since ranks may say different things: off wins.
  /// @param keeps without the key nothing changes; else plans are on then
  void set_info(MPI_Comm comm, MPI_Info info, bool keeps);
  /// A number that changes whenever a communicator is freed or forgotten. What was remembered of
  /// communicators under another number is stale.
  [[nodiscard]] static std::uint64_t generation() { return Registry::generation(); }

 private:
  Engine() = default;
  // engine_machine.cpp
  /// The communicator of a call that might be planned; nullptr: native. If the machine is unknown,
  /// this call may find it (collective over the communicator).
  Communicator* enter(MPI_Comm comm) {
    Communicator* found = registry_->find(comm);
    if (found == nullptr) return found;
    if (found->never() == runtime::Reason::MachineUnknown) {
      settle(*found);
    } else if (follows_ && !found->never()) {
      follow(*found);
    }
    return found;
  }
  /// Lets a communicator take the machine as soon as all its members can do so at the same call.
  /// Called before each of its calls until then:
  ///   1. If the world has not agreed: a call on all processes agrees now, or the fifth one where
  ///      there are several nodes (World::defers); any other call stays native.
  ///   2. If the machine is unknown: calls on all processes look for it (with several threads only
  ///      calls on MPI_COMM_WORLD itself); any other call stays native.
  ///   3. If the machine is known: the communicator takes it (with several threads only once all
  ///      members know it).
  void settle(Communicator& comm);
  /// Goes on looking in calls on all processes, and lets a communicator take a newer machine. With
  /// one thread only: members of all communicators come to these calls in one order.
  void follow(Communicator& comm);
  /// One call on all processes: what connections show, and what an earlier run kept. Probes only
  /// once the program has run so long that they cost it less than Account::kShare.
  [[nodiscard]] bool may_be_measured() const;
  void look_for_machine(MPI_Comm over);
  void learn(KnownMachine machine);
  bool take_kept(KeptStart kept);
  /// Agrees on the world, if that was not done yet. @return whether the ranks agree
  bool settle_world(MPI_Comm over);
  [[nodiscard]] bool all_take_part();
  /// Finds the machine, if it is unknown. Collective over `over`, a communicator of all processes.
  void learn_machine(MPI_Comm over);

  TopologyAttributes attributes_;
  std::unique_ptr<World> world_;
  bool is_given_up_ = false;            // agree_on_world() returned None
  std::uint64_t world_calls_ = 0;       // calls on all processes while something is looked for
  std::unique_ptr<SocketLooks> looks_;  // absent before the world agreed, and when all is known
  std::string kept_file_;               // where the next run finds what this one found out
  bool follows_ = false;                // the machine may be replaced by a better one
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Registry> registry_;
};

}  // namespace espalier::mpi
