#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "mpi/roll_call.hpp"
#include "runtime/settings.hpp"
#include "runtime/verdicts.hpp"
#include "topology/machine.hpp"

namespace espalier::mpi {

/// The machine that the processes of MPI_COMM_WORLD stand on.
struct KnownMachine {
  topology::Machine machine;
  std::uint64_t hash = 0;               ///< of version, settings and machine
  std::vector<std::string> words = {};  ///< what discovery found, a sentence each
  double discover_seconds = 0;          ///< 0: it was not measured
};

/// What all processes of MPI_COMM_WORLD agree on. The machine may come later.
class World {
 public:
  RollCall roll_call;
  bool can_wait = true;    ///< for the first call on all processes, as far as this one knows
  bool is_agreed = false;  ///< what follows holds for all; before, it is what this rank was told
  int rank = 0;
  int size = 1;
  double begin = PMPI_Wtime();  ///< of the program, about
  runtime::Settings settings;
  std::string settings_text;   ///< as all ranks were told
  runtime::Verdicts verdicts;  ///< of earlier runs
  std::vector<int> leaders;    ///< for each rank, the lowest of its node; empty if nobody asked
  /// Some process may be in several calls at once (MPI_THREAD_MULTIPLE).
  bool is_threaded = false;
  /// The machine was not known at the start: calls on some communicators came, or may come, before.
  bool learns_late = false;

  /// nullptr: not yet. Once known it stays.
  [[nodiscard]] const KnownMachine* known() const {
    return published_.load(std::memory_order_acquire);
  }
  /// @pre known() is nullptr. One thread only: it is called inside calls on one communicator.
  void learn(KnownMachine machine) {
    machine_ = std::make_unique<const KnownMachine>(std::move(machine));
    published_.store(machine_.get(), std::memory_order_release);
  }

 private:
  std::unique_ptr<const KnownMachine> machine_;
  std::atomic<const KnownMachine*> published_{nullptr};
};

/// Begins the roll call. Collective over MPI_COMM_WORLD, but waits for nobody.
/// @param is_unfit this process must not plan anything: then nobody does
[[nodiscard]] std::unique_ptr<World> enter_world(bool is_unfit);

enum class Agreement : std::uint8_t {
  Reached,
  Later,  ///< in the first call on all processes
  None    ///< all calls are native, on all ranks
};

/// Where all were told the same, and nothing that is in a file, that is it. Else rank 0 reads
/// settings and machine and tells all others; where something is wrong it prints one line, and
/// there is no agreement. The machine is not known afterwards if none was named and there are
/// several nodes to measure. In MPI_Init for those that cannot wait, or in the first call on all
/// processes.
/// @param over holds all processes, in any order; collective over it, and on no other communicator,
///   where calls may be under way
[[nodiscard]] Agreement agree(World& world, MPI_Comm over, bool at_start);

}  // namespace espalier::mpi
