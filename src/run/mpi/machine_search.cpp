#include "mpi/machine_search.hpp"

#include <fmt/format.h>

#include <utility>

#include "mpi/kept_file.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/own_work.hpp"
#include "mpi/registry.hpp"

namespace espalier::mpi {
namespace {

/// Calls on all processes before ranks wait for the roll call that began in MPI_Init: it is over
/// by then, and nobody waits.
constexpr std::uint64_t kCallsBeforeAgreement = 4;
/// What measuring by probes is predicted to take: its time limit, and the making of communicators.
constexpr double kSecondsOfProbes = 1.2;
/// Trials begin again with every new machine.
constexpr std::size_t kMostVersions = 4;

}  // namespace

void MachineSearch::learn(KnownMachine machine) {
  const bool replaces = world_.known() != nullptr;
  machine.came_in = replaces ? world_.known()->came_in
                             : fmt::format("before call {} on all processes, after {:.2f} s",
                                           world_calls_, world_.clock());
  // Without trials groups have no far pairs (Groups::made_for): calls may be native for good there
  // too.
  const bool is_far = runtime::may_try(world_.settings) && !far_pairs(*machine.machine).empty();
  world_.learn(std::move(machine));
  if (replaces) Registry::forget_what_is_native();
  // Calls on near machines may be known to be native for good, and are no longer counted here.
  if (!is_far || world_.is_threaded) {
    looks_.reset();
    follows_ = replaces;
  }
}

void MachineSearch::learn_machine(MPI_Comm over) {
  if (world_.known() != nullptr) return;
  const OwnWork work(world_);
  learn(discovered_machine(world_, over));
}

/// Takes what an earlier run kept, unless the network has changed since. @return whether that was
/// a machine
bool MachineSearch::take_kept(KeptStart kept) {
  if (kept.machine && looks_->contradicts(*kept.machine)) return false;
  const std::int64_t decided = kept.verdicts.empty() ? 0 : kept.decided;
  auto all = std::make_shared<runtime::Verdicts>(*world_.verdicts);
  all->add(std::move(kept.verdicts));  // what ESPALIER_VERDICTS names stays
  world_.verdicts = std::move(all);
  ledger_.take_verdicts(*world_.verdicts, decided);
  if (kept.machine) {
    kept.words.emplace_back("known from before");
    KnownMachine known = found_machine(world_, *std::move(kept.machine), std::move(kept.words));
    known.is_certain = true;
    known.measured = kept.measured;
    learn(std::move(known));
    return true;
  }
  if (world_.known() != nullptr && !world_.verdicts->empty()) {
    learn(KnownMachine(*world_.known()));  // begins anew, with what is known
  }
  return false;
}

bool MachineSearch::may_be_measured() const {
  const KnownMachine* known = world_.known();
  return known == nullptr || (!known->is_certain && world_.versions() < kMostVersions);
}

void MachineSearch::begin_looks() {
  const RollCall::Places& places = world_.places;
  kept_file_ = mpi::kept_file(world_.settings, places.nodes);
  SocketLooks::ReadEarlier read;
  if (world_.rank == 0) {
    read = [file = kept_file_] {
      runtime::YoungStart kept = read_kept(file);
      const double expected = kept.runs.all().empty() ? 0 : kept.runs.expected(program_key());
      return SocketLooks::Earlier{std::move(kept.for_all), expected};
    };
  }
  looks_ =
      std::make_unique<SocketLooks>(places.leaders, places.addresses, world_.rank, std::move(read));
  follows_ = !world_.is_threaded;
}

void MachineSearch::look_for_machine(MPI_Comm over) {
  if (kIsSimulated) return learn_machine(over);
  const OwnWork work(world_);
  if (looks_ == nullptr) {
    if (world_.known() != nullptr) return;
    begin_looks();
  }
  auto told = looks_->before_call(over, rank_of_first(over), world_.clock(), world_.account);
  if (!told) return;
  if (told->expected > 0) world_.expected_seconds = told->expected;
  if (told->kept) {
    if (take_kept(*std::move(told->kept))) return;
  }
  const KnownMachine* before = world_.known();
  if (may_be_measured() &&
      runtime::Account::pays_for(kSecondsOfProbes, told->elapsed, told->spent)) {
    return learn(discovered_machine(world_, over));
  }
  const bool is_needed = may_be_measured() || (world_.versions() < kMostVersions &&
                                               looks_->contradicts(*before->machine));
  if (told->machine && is_needed) {
    learn(
        found_machine(world_, std::move(told->machine->machine), std::move(told->machine->words)));
  }
}

void MachineSearch::follow(Communicator& comm) {
  if (looks_ != nullptr && comm.holds_world()) {
    ++world_calls_;
    look_for_machine(comm.comm());
    if (looks_ != nullptr && looks_->is_over(may_be_measured())) looks_.reset();
  }
  comm.take_newer_machine();
}

bool MachineSearch::settle_world(MPI_Comm over) {
  if (world_.is_agreed) return true;
  if (is_given_up_) return false;
  if (world_.defers && world_calls_ <= kCallsBeforeAgreement) return false;
  const OwnWork work(world_);
  const bool has_agreed = waiting(world_, [&] {
    world_.roll_call.wait();
    // A launcher that tells some processes less than others: all wait for the same call.
    world_.defers = world_.roll_call.any_defers();
    if (world_.defers && world_calls_ <= kCallsBeforeAgreement) return false;
    is_given_up_ = agree_on_world(world_, over, false) == WorldAgreement::None;
    return !is_given_up_;
  });
  if (has_agreed) ledger_.take_verdicts(*world_.verdicts);
  return has_agreed;
}

bool MachineSearch::all_take_part() {
  if (world_.is_agreed) return true;
  world_.roll_call.wait();
  return world_.roll_call.all_take_part();
}

void MachineSearch::settle(Communicator& comm) {
  if (comm.holds_world()) ++world_calls_;
  // Where threads are in several calls at once, this was settled in MPI_Init.
  if (!world_.is_agreed && (!comm.holds_world() || !settle_world(comm.comm()))) return;
  if (!world_.is_threaded) {
    // One call after the other: members of overlapping communicators come to them in one order.
    if (comm.holds_world()) look_for_machine(comm.comm());
    if (world_.known() != nullptr) comm.take_machine();
    return;
  }
  // Calls on other communicators may overtake the one that finds the machine, on some ranks.
  if (comm.comm() == MPI_COMM_WORLD) {
    if (world_.known() == nullptr) look_for_machine(MPI_COMM_WORLD);
    if (world_.known() != nullptr) comm.take_machine();
  } else if (comm.machine().all_know_it()) {
    comm.take_machine();
  }
}

bool MachineSearch::discover() {
  world_calls_ += kCallsBeforeAgreement + 1;
  if (!settle_world(MPI_COMM_WORLD)) return false;
  learn_machine(MPI_COMM_WORLD);
  return world_.known() != nullptr;
}

MachineSearch::Placed MachineSearch::placed(MPI_Comm comm) const {
  Placed result;
  if (const KnownMachine* known = world_.known()) result.machine = known->machine.get();
  int inter = 1;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) {
    return result;
  }
  if (auto ranks = ranks_in_world(comm)) result.ranks = std::move(*ranks);
  return result;
}

}  // namespace espalier::mpi
