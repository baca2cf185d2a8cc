#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi/calls.hpp"
#include "mpi/machine_search.hpp"
#include "mpi/registry.hpp"
#include "mpi/topology_attributes.hpp"
#include "profile/profile.hpp"

namespace espalier::mpi {

/// The runtime of one process between MPI_Init and MPI_Finalize: knows all communicators of the
/// program, and runs its collectives along plans or says that they are native.
///
/// The wrappers (src/run/pmpi) call it, from any thread that calls MPI:
///   1. start() behind MPI_Init.
///   2. run() for each collective. If it was not planned, the wrapper calls the MPI library.
///   3. begin_free() and Registry::end_free() around each free of a communicator.
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

  // Its parts, which wrappers may ask themselves.
  [[nodiscard]] Registry& registry() { return registry_; }
  [[nodiscard]] ProgressEngine& progress() { return registry_.progress(); }
  [[nodiscard]] MachineSearch& machine() { return search_; }
  [[nodiscard]] const MachineSearch& machine() const { return search_; }
  [[nodiscard]] Ledger& ledger() { return ledger_; }
  /// Depths and colours as attributes of communicators.
  [[nodiscard]] TopologyAttributes& attributes() { return attributes_; }

  /// Called before MPI_Comm_free and MPI_Comm_disconnect; Registry::end_free() after them.
  void begin_free(MPI_Comm comm) {
    const ProgressEngine::Inside inside;
    search_.leave(comm);
    registry_.begin_free(comm);
  }
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

  /// Whether virtual topologies on a communicator are reordered. All its ranks get the same answer.
  /// Collective over it as long as the world has not agreed (World::is_agreed).
  [[nodiscard]] bool reorders(MPI_Comm comm);
  /// See mpi::reordered(). Collective. @pre reorders(comm)
  MPI_Comm reordered(MPI_Comm comm, int nodes, const std::vector<profile::Pair>* pairs);

  /// Runs a call along a plan, or says that it is native.
  [[nodiscard]] Outcome run(const LocalCall& call);
  /// Starts a call that does not block along a plan, or says that it is native. Never waits.
  [[nodiscard]] Outcome start(const LocalCall& call, MPI_Request* request);
  /// Takes over the native start of a call, if start() said so. @param code of that start
  void adopt(const LocalCall& call, int code, MPI_Request* request);
  /// Makes a persistent call along a plan, or says that it is native. Collective.
  [[nodiscard]] Outcome init(const LocalCall& call, MPI_Request* request);
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

  /// Obeys the key "espalier" of a communicator's new info: plans on or off. Collective over the
  /// communicator, since ranks may say different things: off wins.
  /// @param keeps without the key nothing changes; else plans are on then
  void set_info(MPI_Comm comm, MPI_Info info, bool keeps);

 private:
  Engine(std::unique_ptr<World> world, std::span<const runtime::PassedFunction> passed)
      : world_(std::move(world)),
        ledger_(passed, *world_),
        search_(*world_, ledger_),
        registry_(*world_, ledger_) {}
  /// The communicator of a call that might be planned; nullptr: native. If the machine is unknown,
  /// this call may find it (collective over the communicator).
  Communicator* enter(MPI_Comm comm) {
    Communicator* const found = registry_.find(comm);
    if (found != nullptr) search_.before_call(*found);
    return found;
  }

  TopologyAttributes attributes_;
  std::unique_ptr<World> world_;
  Ledger ledger_;
  MachineSearch search_;
  Registry registry_;
};

}  // namespace espalier::mpi
