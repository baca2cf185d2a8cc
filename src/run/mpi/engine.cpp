#include "mpi/engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string_view>

#include "mpi/own_work.hpp"
#include "mpi/planned_call.hpp"
#include "mpi/reordered.hpp"
#include "runtime/class_policy.hpp"

namespace espalier::mpi {

using runtime::Reason;
using schedule::Operation;

namespace {

/// What the process has in memory now; 0 where Linux does not tell.
std::int64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long all = 0, resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &all, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<std::int64_t>(resident) * sysconf(_SC_PAGESIZE) : 0;
}

Outcome run_kind(Communicator& comm, const LocalCall& call) {
  if (schedule::is_neighbourhood(call.operation)) return exchange_with_neighbours(comm, call);
  if (reduces(call.operation)) return reduce(comm, call);
  if (call.operation == Operation::Broadcast) return broadcast(comm, call);
  if (call.operation == Operation::Barrier) return barrier(comm, call);
  return call.irregular ? move_blocks(comm, call) : move(comm, call);
}

/// Hands the time of a planned call on.
Outcome run_and_time(Communicator& comm, const LocalCall& call) {
  const Outcome outcome = run_kind(comm, call);
  const auto& [policy, begin] = outcome.timing;
  if (policy != nullptr && outcome.planned && outcome.code == MPI_SUCCESS) {
    const double seconds = seconds_now() - begin;
    policy->note(begin, seconds, bytes_of(comm, call));
  }
  return outcome;
}

Outcome start_kind(Communicator& comm, const LocalCall& call, const Starting& how) {
  if (schedule::is_neighbourhood(call.operation)) return start_with_neighbours(comm, call, how);
  if (call.operation == Operation::Broadcast) return start_broadcast(comm, call, how);
  if (call.operation == Operation::Barrier) return start_barrier(comm, call, how);
  if (reduces(call.operation)) return start_reduce(comm, call, how);
  return call.irregular ? start_blocks(comm, call, how) : start_exchange(comm, call, how);
}

/// Takes down that a call was started, without its time: it may end inside MPI, where no log is
/// kept. Of a persistent call, that it was made.
void log_start(Communicator& comm, const LocalCall& call, const char* kind) {
  if (!comm.keeps_log()) return;
  const auto plan = comm.plans().held();
  const double predicted = plan->predicted ? to_microseconds(*plan->predicted) : -1;
  comm.log.add({comm.name(), call.operation, select::size_class(Bytes{bytes_of(comm, call)}),
                plan->name, plan->why + "; " + kind, 1, predicted, -1});
}

/// A later value outdoes an earlier one.
enum class Switch : int { NotSaid, On, Off };

Switch switch_in(MPI_Info info) {
  if (info == MPI_INFO_NULL) return Switch::NotSaid;
  std::array<char, 8> value{};
  int found = 0;
  PMPI_Info_get(info, "espalier", static_cast<int>(value.size()) - 1, value.data(), &found);
  const std::string_view text = value.data();
  if (found == 0) return Switch::NotSaid;
  return text == "off" ? Switch::Off : text == "on" ? Switch::On : Switch::NotSaid;
}

}  // namespace

std::unique_ptr<Engine> Engine::start(std::span<const runtime::PassedFunction> passed,
                                      bool is_unfit) {
  const double begin = seconds_now();
  const std::int64_t bytes_before = resident_bytes();
  auto world = enter_world(is_unfit);  // counts its own time
  const double entered = seconds_now() - world->account.waited();
  const bool is_none = !world->can_wait && waiting(*world, [&] {
    return agree_on_world(*world, MPI_COMM_WORLD, true) == WorldAgreement::None;
  });
  if (is_none) {
    explain_declined(*world);
    return nullptr;
  }
  std::unique_ptr<Engine> engine(new Engine(std::move(world), passed));
  const double now = seconds_now();
  runtime::Account& account = engine->world_->account;
  account.spend(now - account.waited() - entered);
  engine->ledger_.note_start(now - begin, resident_bytes() - bytes_before);
  return engine;
}

Engine::~Engine() {
  try {
    registry_.progress().end_thread();
    registry_.forget_all();
    if (world_->tracer != nullptr) {
      world_->tracer->finish(ledger_.count("native", {}), ledger_.count("planned", {}));
      world_->tracer.reset();
    }
    if (keeps_log() && world_->rank == 0) ledger_.explain(registry_.share());
    if (world_->rank == 0) ledger_.keep_verdicts(search_.kept_file());
  } catch (const std::exception& bug) {  // the program has its results; let it end
    std::fprintf(stderr, "espalier: at the end: %s\n", bug.what());
  }
}

Outcome Engine::run(const LocalCall& call) {
  const ProgressEngine::Inside inside;
  Communicator* const comm = enter(call.comm);
  if (comm == nullptr) {
    Outcome unknown;
    unknown.why = registry_.is_dying(call.comm) ? Reason::BeingFreed : Reason::Arguments;
    return unknown;
  }
  if (comm->never()) return native(*comm, call.operation, *comm->never());
  if (is_named_native(world_->settings, call.operation)) {
    Outcome outcome = native(*comm, call.operation, Reason::Named);
    // All ranks count calls while the machine may be replaced, so each must come here every time.
    if (search_.follows()) outcome.native_for_good = nullptr;
    return outcome;
  }
  return run_and_time(*comm, call);
}

Outcome Engine::start(const LocalCall& call, MPI_Request* request) {
  const ProgressEngine::Inside inside;
  // Found or made here, but nothing of it changes: that is for calls that block.
  Communicator* const comm = registry_.find(call.comm);
  if (comm == nullptr) return native_pending();
  if (comm->never()) return {.why = comm->starts().why_none(comm->never())};
  if (is_named_native(world_->settings, call.operation)) return {.why = Reason::Named};
  comm->starts().drop();  // an error handler may have jumped over the end of the last one
  comm->starts().why_native = Reason::NonBlocking;
  Outcome outcome = start_kind(*comm, call, {request, false});
  if (outcome.planned) {
    log_start(*comm, call, "non-blocking");
  } else {
    outcome.why = comm->starts().why_native;
  }
  outcome.is_adopted = !outcome.planned && comm->starts().times_native();
  if (!outcome.is_adopted) comm->starts().drop();
  return outcome;
}

void Engine::adopt(const LocalCall& call, int code, MPI_Request* request) {
  const ProgressEngine::Inside inside;
  Communicator* const comm = registry_.find(call.comm);
  if (code == MPI_SUCCESS) {
    comm->starts().adopt(request);
  } else {
    comm->starts().drop();
  }
}

Outcome Engine::init(const LocalCall& call, MPI_Request* request) {
  const ProgressEngine::Inside inside;
  Communicator* const comm = registry_.find(call.comm);
  Outcome outcome;
  const bool is_named = is_named_native(world_->settings, call.operation);
  if (comm != nullptr && !comm->never() && !is_named) {
    outcome = start_kind(*comm, call, {request, true});
  }
  if (outcome.planned) {
    log_start(*comm, call, "persistent");
  } else {
    outcome.why = is_named ? Reason::Named : Reason::Persistent;
  }
  return outcome;
}

void Engine::note_native(const LocalCall& call, const Outcome& outcome, double seconds) {
  Communicator* const comm = registry_.find(call.comm);
  if (comm == nullptr) return;
  const std::uint64_t bytes = bytes_of(*comm, call);
  if (outcome.timing.policy != nullptr) {
    outcome.timing.policy->note(outcome.timing.begin, seconds, bytes);
  }
  if (!keeps_log()) return;
  comm->log.add({comm->name(), call.operation, select::size_class(Bytes{bytes}), "native",
                 std::string(name_of(outcome.why)), 1, -1, seconds * 1e6});
}

Outcome Engine::multicasts(std::span<const Multicast> several, MPI_Comm handle) {
  const ProgressEngine::Inside inside;
  Communicator* const comm = enter(handle);
  Outcome outcome;
  outcome.planned = comm != nullptr && comm->can_multicast();
  if (outcome.planned) outcome.code = mpi::multicasts(*comm, several);
  return outcome;
}

CallOutlook Engine::outlook(const runtime::SharedCall& call, MPI_Comm handle) {
  Communicator* const comm = registry_.find(handle);
  if (comm == nullptr) return {false, "native", "no communicator"};
  if (comm->never()) return {false, "native", std::string(name_of(*comm->never()))};
  return comm->plans().outlook(call);
}

void Engine::set_info(MPI_Comm comm, MPI_Info info, bool keeps) {
  const Communicator* known = registry_.find(comm);
  if (known == nullptr || !known->is_within_world() || !search_.all_take_part()) return;
  int said = static_cast<int>(switch_in(info));
  if (PMPI_Allreduce(MPI_IN_PLACE, &said, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return;
  const auto all = static_cast<Switch>(said);
  const bool was_off = known->never() == Reason::SwitchedOff;
  const bool is_off = all == Switch::Off || (all == Switch::NotSaid && keeps && was_off);
  if (is_off == was_off) return;
  const ProgressEngine::Inside inside;
  registry_.switch_plans(comm, is_off);
}

bool Engine::give_back(MPI_Comm among) {
  int inter = 1;
  PMPI_Comm_test_inter(among, &inter);
  if (inter != 0) return false;
  auto ranks = ranks_in_world(among);
  if (!ranks || !search_.all_take_part()) return false;  // others may not have our library
  // Calls that do not block may come before this one on some ranks and after it on others, so what
  // becomes of them must not change here: communicators on which some may be planned keep theirs.
  int has_started = registry_.progress().has_started() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &has_started, 1, MPI_INT, MPI_MAX, among);
  std::sort(ranks->begin(), ranks->end());
  registry_.give_back(*ranks, has_started != 0);
  return true;
}

bool Engine::give_back_to(std::initializer_list<MPI_Group> groups) {
  std::vector<Rank> all;
  for (const MPI_Group group : groups) {
    const auto ranks = group_in_world(group);
    if (!ranks) return false;
    all.insert(all.end(), ranks->begin(), ranks->end());
  }
  if (!search_.all_take_part()) return false;
  std::sort(all.begin(), all.end());
  registry_.give_back(all, true);
  return true;
}

bool Engine::reorders(MPI_Comm comm) {
  const Communicator* known = registry_.find(comm);
  if (known == nullptr || !known->is_within_world()) return false;
  if (world_->is_agreed) return world_->settings.reorder;
  // What rank 0 was told holds, and only all processes together can find that out.
  if (!known->holds_world() || !search_.all_take_part()) return false;
  if (world_->roll_call.same_settings() && !world_->settings.reorder) return false;
  return search_.settle_world(comm) && world_->settings.reorder;
}

MPI_Comm Engine::reordered(MPI_Comm comm, int nodes, const std::vector<profile::Pair>* pairs) {
  static_cast<void>(enter(comm));  // finds the machine
  return mpi::reordered(comm, search_.placed(comm), nodes, pairs);
}

}  // namespace espalier::mpi
