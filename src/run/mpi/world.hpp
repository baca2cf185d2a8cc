#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/roll_call.hpp"
#include "mpi/seconds_now.hpp"
#include "mpi/tracer.hpp"
#include "runtime/account.hpp"
#include "runtime/agreement.hpp"
#include "runtime/settings.hpp"
#include "runtime/verdicts.hpp"
#include "topology/machine.hpp"

namespace espalier::mpi {

/// Seconds that this process has run already; 0 where the system does not tell.
[[nodiscard]] double seconds_before_now();

/// The machine that the processes of MPI_COMM_WORLD run on, the same on all of them.
struct KnownMachine {
  /// Communicators of all processes in order plan for this very object; under SMPI all ranks, which
  /// are one process, have it together.
  std::shared_ptr<const topology::Machine> machine;
  std::uint64_t hash = 0;  ///< hash of version, settings and machine
  /// Hash of what decisions of trials are kept under: where the ranks run and how plans are made.
  /// Of a machine that was found, measured figures are no part.
  std::uint64_t place = 0;
  bool is_certain = false;              ///< it was seen whole, so the next run may begin with it
  std::int64_t measured = 0;            ///< when it was, in seconds since 1970; 0: it was not
  std::string came_in = {};             ///< when plans for it began, in words
  std::vector<std::string> words = {};  ///< sentences about what discovery found
  double discover_seconds = 0;          ///< time that discovery took; 0 if nothing was measured
};

/// What all processes of MPI_COMM_WORLD agree on: settings, and later the machine. Engine owns the
/// only one of a process.
///
/// States, which all processes go through in this order:
///   1. Roll call under way: enter_world() was called, in MPI_Init. `settings` are those of this
///      process.
///   2. Agreed, machine unknown: agree_on_world() returned Reached (`is_agreed`). The machine has
///      to be measured; the first call on all processes does that (MachineSearch::settle).
///   3. Agreed, machine known: learn() was called. With one thread it may be called again, before a
///      call on all processes, when better is known.
/// State 2 is skipped if there is nothing to measure. If agree_on_world() returns None, the world
/// stays in state 1, and all calls are native.
class World {
 public:
  RollCall roll_call;
  /// This process may agree as late as in the first call on all processes; else in MPI_Init.
  bool can_wait = true;
  bool names_no_file = false;  ///< its own settings name neither a machine nor decisions
  /// The members below are the same on all processes. Before, they are this process's own.
  bool is_agreed = false;
  int rank = 0;  ///< this process in MPI_COMM_WORLD
  int size = 1;  ///< processes of MPI_COMM_WORLD
  /// Seconds since the process began, roughly.
  runtime::Clock clock = [begin = seconds_now(), before = seconds_before_now()] {
    return before + seconds_now() - begin;
  };
  /// What our own work took on this rank; trials on all communicators, freed ones too, among it.
  mutable runtime::Account account;
  /// Seconds that an earlier run of this program took, if rank 0 knows of one; else 0.
  double expected_seconds = 0;
  /// The time that the account counts: how long the program has run, or will run.
  [[nodiscard]] double counted_seconds() const { return std::max(clock(), expected_seconds); }
  /// What trials on one node took of that: hidden communicators and segments. They have 2 % of
  /// their own, since calls that wait for them cost more than they do.
  mutable runtime::Account node_account;
  /// Adds what this rank measured of trials on one node.
  void spend_on_node(double seconds) const {
    account.spend(seconds);
    node_account.spend(seconds);
  }
  runtime::Settings settings;
  std::string settings_text;  ///< the agreed settings as text, for hashes
  /// Decisions of earlier runs, kept or named by ESPALIER_VERDICTS. Others replace them, they do
  /// not change: a communicator holds those that were there when it was planned for.
  std::shared_ptr<const runtime::Verdicts> verdicts = std::make_shared<const runtime::Verdicts>();
  /// Why agree_on_world() returned None; rank 0 alone knows it, on the others it is empty.
  std::string why_declined = {};
  bool may_write_verdicts = true;  ///< rank 0 could read what ESPALIER_VERDICTS names
  /// Takes planned calls down (ESPALIER_TRACE); nullptr: nobody does, on all processes.
  std::unique_ptr<Tracer> tracer;
  /// The lowest rank on the node of each rank, and more of where it runs. Empty if the machine was
  /// named.
  RollCall::Places places;
  /// The launcher says that there are several nodes: agreement on the world waits for some calls.
  bool defers = false;
  /// Some process may be in several calls at once (MPI_THREAD_MULTIPLE).
  bool is_threaded = false;
  /// The world was in state 2: calls on some communicators may come before the machine is known.
  bool learns_late = false;

  /// The machine; nullptr before state 3. Any thread may ask.
  [[nodiscard]] const KnownMachine* known() const {
    return published_.load(std::memory_order_acquire);
  }
  /// How many machines were learned so far.
  [[nodiscard]] std::size_t versions() const { return versions_.size(); }
  /// Enters state 3, or replaces the machine. @pre only one thread calls it, inside a call on one
  /// communicator
  void learn(KnownMachine machine) {
    versions_.push_back(std::make_unique<const KnownMachine>(std::move(machine)));
    published_.store(versions_.back().get(), std::memory_order_release);
  }

 private:
  std::vector<std::unique_ptr<const KnownMachine>> versions_;  // old ones are still referred to
  std::atomic<const KnownMachine*> published_{nullptr};
};

/// Reads this process's environment and begins the roll call. Called in MPI_Init. Collective over
/// MPI_COMM_WORLD, but waits for nobody.
/// @param is_unfit this process failed the self-test: no process plans anything then
[[nodiscard]] std::unique_ptr<World> enter_world(bool is_unfit);

/// "espalier: no call was planned: ESPALIER_FORCE: ...\n", the first line of an explanation; empty
/// unless the world declined and this is rank 0.
[[nodiscard]] std::string declined_text(const World& world);
/// Writes that line where ESPALIER_EXPLAIN says: for a world that declined before it had an engine,
/// which would explain itself.
void explain_declined(const World& world);

/// What agree_on_world() came to; all processes get the same.
enum class WorldAgreement : std::uint8_t {
  Reached,  ///< settings are agreed on; the machine may still be unknown
  Later,    ///< some process can wait: agree in the first call on all processes
  None      ///< all calls are native, on all ranks; rank 0 has printed why
};

/// All processes agree on settings, and on the machine if that needs no measuring. Called in
/// MPI_Init by processes that cannot wait, else in the first call on all processes.
///
/// Steps:
///   1. Wait for the roll call. None, if some process has no library, failed the self-test, or
///      differs in MPI_THREAD_MULTIPLE.
///   2. Later, if this is MPI_Init and some process can wait.
///   3. Settings. If all ranks have identical settings and no files, no broadcast is needed. Else
///      rank 0 reads settings and files and broadcasts them. None, if they are wrong or some rank's
///      environment contradicts them.
///   4. Machine: the named one; or the clusters that all processes name; or the nodes, if there is
///   one node or discovery is off; or
///      discovered now, if plans are forced or reproducible. Else it stays unknown.
/// @param over a communicator of all processes, in any order. Collective over it; no other
///   communicator is used, since calls may be under way there.
[[nodiscard]] WorldAgreement agree_on_world(World& world, MPI_Comm over, bool is_in_init);

/// The rank in `over` of the process that is rank 0 of MPI_COMM_WORLD. Local.
[[nodiscard]] int rank_of_first(MPI_Comm over);

/// The machine with its hash, which covers the settings agreed on in `world`. With ESPALIER_LOG
/// rank 0 says on stderr what it is.
/// @param as_text the machine as text, for the hash; empty if the nodes tell all
[[nodiscard]] KnownMachine known_machine(const World& world,
                                         std::shared_ptr<const topology::Machine> machine,
                                         std::string_view as_text);
/// A machine that was found while the program ran, or in an earlier run.
[[nodiscard]] KnownMachine found_machine(const World& world, topology::Machine machine,
                                         std::vector<std::string> words);

/// The machine of the clusters that each process names for itself (ESPALIER_CLUSTERS). If some
/// process names none, or something wrong, there is none, on all ranks, and rank 0 has said why.
/// @param over a communicator of all processes; collective over it
[[nodiscard]] std::optional<KnownMachine> machine_of_named_clusters(const World& world,
                                                                    MPI_Comm over);

/// A machine of two levels, the nodes that MPI reports, with figures of an ordinary cluster.
[[nodiscard]] KnownMachine machine_of_nodes(const World& world);

/// The machine found and measured, or from the cache. If that fails, machine_of_nodes(), on all
/// ranks alike.
/// @param over a communicator of all processes; collective over it
[[nodiscard]] KnownMachine discovered_machine(const World& world, MPI_Comm over);

}  // namespace espalier::mpi
