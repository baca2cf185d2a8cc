// When the machine is found, and from which call on a communicator is planned for it. Why no rank
// waits for ever and none mixes plans with native calls:
// docs/adr/0011-discovery-in-the-first-call.md
#include "mpi/engine.hpp"
#include "mpi/world.hpp"

namespace espalier::mpi {

using runtime::Reason;

void Engine::learn_machine(MPI_Comm over) {
  if (world_->known() == nullptr) world_->learn(discovered_machine(*world_, over));
}

bool Engine::settle_world(MPI_Comm over) {
  if (world_->is_agreed) return true;
  if (is_given_up_) return false;
  is_given_up_ = agree_on_world(*world_, over, false) == WorldAgreement::None;
  if (!is_given_up_) ledger_->take_verdicts(world_->verdicts);
  return !is_given_up_;
}

/// Whether all processes have an engine. A process without our library has none, nor has one whose
/// thread level differs. Waits at most until all processes have come to MPI_Init.
bool Engine::all_take_part() {
  if (world_->is_agreed) return true;
  world_->roll_call.wait();
  return world_->roll_call.all_take_part();
}

void Engine::settle(Communicator& comm) {
  // Where threads are in several calls at once, this was settled in MPI_Init.
  if (!world_->is_agreed && (!comm.holds_world() || !settle_world(comm.comm()))) return;
  if (!world_->is_threaded) {
    // One call after the other: members of overlapping communicators come to them in one order.
    if (comm.holds_world()) learn_machine(comm.comm());
    if (world_->known() != nullptr) comm.take_machine();
    return;
  }
  // Calls on other communicators may overtake the one that finds the machine, on some ranks.
  if (comm.comm() == MPI_COMM_WORLD) {
    learn_machine(MPI_COMM_WORLD);
    comm.take_machine();
  } else if (comm.all_know_the_machine()) {
    comm.take_machine();
  }
}

bool Engine::discover() {
  if (!settle_world(MPI_COMM_WORLD)) return false;
  learn_machine(MPI_COMM_WORLD);
  return world_->known() != nullptr;
}

Engine::Placed Engine::placed(MPI_Comm comm) const {
  Placed result;
  if (const KnownMachine* known = world_->known()) result.machine = &known->machine;
  int inter = 1;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) {
    return result;
  }
  if (auto ranks = ranks_in_world(comm)) result.ranks = std::move(*ranks);
  return result;
}

}  // namespace espalier::mpi
