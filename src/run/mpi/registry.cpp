#include "mpi/registry.hpp"

#include <atomic>
#include <limits>

#include "mpi/thread_block.hpp"

namespace espalier::mpi {
namespace {

/// The communicator this thread used last: Open MPI's MPI_Comm_get_attr costs 51 ns. Handles are
/// used again after they are freed, so whoever is freed makes all of these stale.
struct LastCommunicator {
  MPI_Comm handle{};
  Communicator* communicator = nullptr;
  std::uint64_t generation = 0;
};
LastCommunicator& last_used() { return of_thread<LastCommunicator, kLastCommunicatorPart>(); }
std::atomic<std::uint64_t> the_generation{1};

}  // namespace

Registry::Registry(const World& world, Ledger& ledger) : world_(world), ledger_(ledger) {
  // The copy function says no: a copy of a communicator is a new one.
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval_, this);
  PMPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &off_keyval_, nullptr);
}

Registry::~Registry() {
  forget_all();
  PMPI_Comm_free_keyval(&keyval_);
  PMPI_Comm_free_keyval(&off_keyval_);
}

// Relaxed: whoever may use a handle that another thread freed or made knows of that already.
std::uint64_t Registry::generation() { return the_generation.load(std::memory_order_relaxed); }

void Registry::forget_what_is_native() { the_generation.fetch_add(1, std::memory_order_release); }

Communicator* Registry::find(MPI_Comm comm) {
  LastCommunicator& last = last_used();
  const std::uint64_t now = generation();
  if (comm == last.handle && last.communicator != nullptr && last.generation == now) {
    return last.communicator;
  }
  if (comm == MPI_COMM_NULL) return nullptr;
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  auto* const communicator = found != 0 ? static_cast<Communicator*>(value) : make(comm);
  if (communicator != nullptr) last = {comm, communicator, now};
  return communicator;
}

int Registry::check(MPI_Comm comm) const {
  LastCommunicator& last = last_used();
  const std::uint64_t now = generation();
  if (comm == MPI_COMM_NULL || (comm == last.handle && last.generation == now)) return MPI_SUCCESS;
  void* value = nullptr;
  int found = 0;
  const int code = PMPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &found);
  // find() need not ask again.
  if (code == MPI_SUCCESS && found != 0) last = {comm, static_cast<Communicator*>(value), now};
  return code;
}

Communicator* Registry::make(MPI_Comm comm) {
  if (is_dying(comm)) return nullptr;
  void* unused = nullptr;
  int is_off = 0;
  PMPI_Comm_get_attr(comm, off_keyval_, static_cast<void*>(&unused), &is_off);
  auto made = std::make_unique<Communicator>(comm, world_, share_, groups_, progress_, is_off != 0);
  if (PMPI_Comm_set_attr(comm, keyval_, made.get()) != MPI_SUCCESS) return nullptr;
  const std::lock_guard lock(mutex_);
  live_.insert_or_assign(comm, made.get());
  return made.release();
}

void Registry::begin_free(MPI_Comm comm) {
  Communicator* known = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(comm);
    if (found != live_.end()) known = found->second;
    dying_[comm] = std::this_thread::get_id();
  }
  if (known == nullptr) return;
  // Calls first: others may have to end theirs before they come to an agreement.
  known->starts().finish(std::numeric_limits<double>::infinity());
  known->finish_agreements();
  PMPI_Comm_delete_attr(comm, keyval_);
}

void Registry::end_free(MPI_Comm comm, bool is_gone) {
  const std::lock_guard lock(mutex_);
  if (is_gone) {
    dying_.erase(comm);
  } else {
    dying_[comm] = {};
  }
}

bool Registry::is_dying(MPI_Comm comm) {
  const std::lock_guard lock(mutex_);
  const auto found = dying_.find(comm);
  return found != dying_.end() &&
         (found->second == std::thread::id() || found->second == std::this_thread::get_id());
}

void Registry::forget_all() {
  std::map<MPI_Comm, Communicator*> live;
  {
    const std::lock_guard lock(mutex_);
    live = live_;
  }
  // The program is over, and has not waited for these: others may never come.
  constexpr double kPatienceSeconds = 10;
  for (const auto& [handle, one] : live) {
    one->starts().finish(kPatienceSeconds);
    one->persistent().finish(kPatienceSeconds);
  }
  for (const auto& [handle, one] : live) PMPI_Comm_delete_attr(handle, keyval_);
}

int Registry::on_delete(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* registry) {
  the_generation.fetch_add(1, std::memory_order_release);
  static_cast<Registry*>(registry)->forget(static_cast<Communicator*>(value));
  return MPI_SUCCESS;
}

void Registry::forget(Communicator* comm) {
  // Whoever frees a communicator with calls under way waits for the others, as long as they take.
  comm->starts().finish(std::numeric_limits<double>::infinity());
  {
    const std::lock_guard lock(mutex_);
    if (comm->keeps_log()) {
      std::uint64_t plans = 0;
      for (const auto& [handle, one] : live_) plans += one->plans().most_bytes();
      ledger_.note_plan_bytes(plans);
    }
    const auto known = live_.find(comm->comm());
    if (known != live_.end() && known->second == comm) live_.erase(known);
    ledger_.close(*comm);
  }
  delete comm;
}

void Registry::switch_plans(MPI_Comm comm, bool is_off) {
  PMPI_Comm_delete_attr(comm, keyval_);
  if (is_off) {
    PMPI_Comm_set_attr(comm, off_keyval_, nullptr);
  } else {
    PMPI_Comm_delete_attr(comm, off_keyval_);
  }
}

void Registry::give_back(const std::vector<Rank>& ranks, bool keeps_startable) {
  share_.close();
  std::map<MPI_Comm, Communicator*> live;
  {
    const std::lock_guard lock(mutex_);
    live = live_;
  }
  // All members are here: so all do without from the same call on.
  for (const auto& [handle, one] : live) one->give_back_within(ranks, keeps_startable);
}

std::uint64_t Registry::count(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (name == "hidden") return static_cast<std::uint64_t>(share_.taken());
  if (name == "communicators") return live_.size();
  if (name == "groups") return groups_.made();
  if (name == "choices") return groups_.counters().choices;
  if (name == "groups with nodes") return groups_.counters().nodes;
  if (name == "agreements left") return LateAgreement::left_behind();
  std::vector<const Communicator*> live;
  for (const auto& [handle, one] : live_) live.push_back(one);
  return ledger_.count(name, live);
}

}  // namespace espalier::mpi
