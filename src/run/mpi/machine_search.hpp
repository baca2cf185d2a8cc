#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi/ledger.hpp"
#include "mpi/socket_looks.hpp"

namespace espalier::mpi {

/// Finds the machine while the program runs, and says from which call on each communicator is
/// planned for it. Why no rank waits for ever and none mixes plans with native calls:
/// docs/adr/0011-discovery-in-the-first-call.md
class MachineSearch {
 public:
  /// @param ledger gets decisions of earlier runs
  MachineSearch(World& world, Ledger& ledger) : world_(world), ledger_(ledger) {}

  /// Called before each call on a communicator that might be planned. If the machine is unknown,
  /// this call may find it (collective over the communicator).
  void before_call(Communicator& comm) {
    if (comm.never() == runtime::Reason::MachineUnknown) {
      settle(comm);
    } else if (follows_ && !comm.never()) {
      follow(comm);
    }
  }
  /// Whether the machine may be replaced by a better one: then all ranks count calls.
  [[nodiscard]] bool follows() const { return follows_; }
  /// A communicator is about to be freed.
  void leave(MPI_Comm comm) {
    // With several threads looks travel on MPI_COMM_WORLD alone.
    if (looks_ != nullptr && !world_.is_threaded) looks_->leave(comm);
  }
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
  /// Agrees on the world, if that was not done yet. @return whether the ranks agree
  [[nodiscard]] bool settle_world(MPI_Comm over);
  /// Whether all processes have an engine. A process without our library has none, nor has one
  /// whose thread level differs. Waits at most until all processes have come to MPI_Init.
  [[nodiscard]] bool all_take_part();
  /// Where the next run finds what this one found out; empty: nowhere.
  [[nodiscard]] const std::string& kept_file() const { return kept_file_; }

 private:
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
  void look_for_machine(MPI_Comm over);
  void begin_looks();
  /// Whether probes would tell more than is known. The same on all ranks.
  [[nodiscard]] bool may_be_measured() const;
  void learn(KnownMachine machine);
  bool take_kept(KeptStart kept);
  /// Finds the machine, if it is unknown. Collective over `over`, a communicator of all processes.
  void learn_machine(MPI_Comm over);

  World& world_;
  Ledger& ledger_;
  bool is_given_up_ = false;            // agree_on_world() returned None
  bool follows_ = false;                // the machine may be replaced by a better one
  std::uint64_t world_calls_ = 0;       // calls on all processes while something is looked for
  std::unique_ptr<SocketLooks> looks_;  // absent before the world agreed, and when all is known
  std::string kept_file_;
};

}  // namespace espalier::mpi
