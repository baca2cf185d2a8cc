#include "mpi/engine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/file.hpp"
#include "mpi/thread_block.hpp"

namespace espalier::mpi {

using runtime::CallCounts;
using runtime::CallLog;
using runtime::Reason;
using schedule::Operation;

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

constexpr std::size_t kMostTrialsTold = 1000;

/// What the process has in memory now; 0 where Linux does not tell.
std::int64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long all = 0, resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &all, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<std::int64_t>(resident) * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

void Engine::add_to(std::vector<LevelCount>& sum, const std::vector<LevelCount>& more) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t l = 0; l < more.size(); ++l) {
    sum[l].messages += more[l].messages;
    sum[l].bytes += more[l].bytes;
  }
}

std::unique_ptr<Engine> Engine::start(std::span<const runtime::PassedFunction> passed,
                                      bool is_unfit) {
  const double begin = PMPI_Wtime();
  const std::int64_t bytes_before = resident_bytes();
  auto world = enter_world(is_unfit);
  const bool is_none =
      !world->can_wait && agree_on_world(*world, MPI_COMM_WORLD, true) == WorldAgreement::None;
  if (is_none) return nullptr;
  std::unique_ptr<Engine> engine(new Engine);
  engine->world_ = std::move(world);
  engine->passed_ = passed;
  engine->verdicts_ = engine->world_->verdicts;
  engine->passed_calls_ = std::vector<std::atomic<std::uint64_t>>(passed.size());
  // The copy function says no: a copy of a communicator is a new one.
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &engine->keyval_, engine.get());
  PMPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &engine->off_keyval_, nullptr);
  engine->footprint_.start_bytes = resident_bytes() - bytes_before;
  engine->footprint_.start_ms = (PMPI_Wtime() - begin) * 1e3;
  return engine;
}

Engine::~Engine() {
  try {
    std::map<MPI_Comm, Communicator*> live;
    {
      const std::lock_guard lock(mutex_);
      live = live_;
    }
    for (const auto& [handle, one] : live) PMPI_Comm_delete_attr(handle, keyval_);
    if (keeps_log() && world_->rank == 0) explain();
    if (world_->rank == 0) keep_verdicts();
  } catch (const std::exception& bug) {  // the program has its results; let it end
    std::fprintf(stderr, "espalier: at the end: %s\n", bug.what());
  }
  PMPI_Comm_free_keyval(&keyval_);
  PMPI_Comm_free_keyval(&off_keyval_);
}

Communicator* Engine::find(MPI_Comm comm) {
  LastCommunicator& last_communicator = last_used();
  if (comm == last_communicator.handle && last_communicator.communicator != nullptr &&
      last_communicator.generation == generation()) {
    return last_communicator.communicator;
  }
  if (comm == MPI_COMM_NULL) return nullptr;
  const std::uint64_t now = generation();
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  auto* communicator = static_cast<Communicator*>(value);
  if (found == 0) {
    if (is_dying(comm)) {
      last_call().outcome = {false, Reason::BeingFreed};
      return nullptr;
    }
    void* unused = nullptr;
    int is_off = 0;
    PMPI_Comm_get_attr(comm, off_keyval_, static_cast<void*>(&unused), &is_off);
    auto made = std::make_unique<Communicator>(comm, *world_, share_, groups_, is_off != 0);
    if (PMPI_Comm_set_attr(comm, keyval_, made.get()) != MPI_SUCCESS) return nullptr;
    communicator = made.release();
    const std::lock_guard lock(mutex_);
    live_.insert_or_assign(comm, communicator);
  }
  last_communicator = {comm, communicator, now};
  return communicator;
}

void Engine::begin_free(MPI_Comm comm) {
  bool is_known = false;
  {
    const std::lock_guard lock(mutex_);
    is_known = live_.contains(comm);
    dying_[comm] = std::this_thread::get_id();
  }
  if (is_known) PMPI_Comm_delete_attr(comm, keyval_);
}

void Engine::end_free(MPI_Comm comm, bool is_freed) {
  const std::lock_guard lock(mutex_);
  if (is_freed) {
    dying_.erase(comm);
  } else {
    dying_[comm] = {};
  }
}

bool Engine::is_dying(MPI_Comm comm) {
  const std::lock_guard lock(mutex_);
  const auto found = dying_.find(comm);
  return found != dying_.end() &&
         (found->second == std::thread::id() || found->second == std::this_thread::get_id());
}

int Engine::on_delete(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* engine) {
  the_generation.fetch_add(1, std::memory_order_release);
  static_cast<Engine*>(engine)->forget(static_cast<Communicator*>(value));
  return MPI_SUCCESS;
}

void Engine::forget(Communicator* comm) {
  {
    const std::lock_guard lock(mutex_);
    if (keeps_log()) {
      std::uint64_t plans = 0;
      for (const auto& [handle, one] : live_) plans += one->plan_bytes();
      footprint_.plan_bytes = std::max(footprint_.plan_bytes, plans);
    }
    footprint_.staging_bytes = std::max(footprint_.staging_bytes, comm->staging_bytes);
    if (world_->rank == 0 && !world_->settings.verdicts.empty()) comm->add_to(verdicts_);
    const auto known = live_.find(comm->comm());
    if (known != live_.end() && known->second == comm) live_.erase(known);
    past_counts_.add(comm->counts);
    past_log_.merge(comm->log);
    if (keeps_log() && past_trials_.size() < kMostTrialsTold) {
      const auto trials = comm->trials();
      past_trials_.insert(past_trials_.end(), trials.begin(), trials.end());
      for (const std::string& words : comm->changes()) {
        footprint_.found.push_back(comm->name() + ": " + words + "; plans were made anew");
      }
    }
    if (comm->executor_if_any() != nullptr)
      add_to(past_sent_, comm->executor_if_any()->channel().sent());
  }
  delete comm;
}

std::vector<runtime::PassedCalls> Engine::passed() const {
  std::vector<runtime::PassedCalls> result;
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    result.push_back({passed_[i], passed_calls_[i].load(std::memory_order_relaxed)});
  }
  return result;
}

void Engine::explain() {
  footprint_.hidden = share_.most();
  if (const KnownMachine* known = world_->known()) {
    footprint_.discover_ms = known->discover_seconds * 1e3;
    footprint_.found = known->words;
  }
  const std::string text =
      explain_text(past_counts_, passed(), past_log_, footprint_) + trials_text(past_trials_);
  const std::string& where = world_->settings.explain;
  if (where == "1") {
    std::fwrite(text.data(), 1, text.size(), stderr);
  } else if (const auto wrong = write_named_file(where, text)) {
    fmt::print(stderr, "espalier: ESPALIER_EXPLAIN: cannot write \"{}\": {}\n", where, wrong->what);
  }
}

// Relaxed: whoever may use a handle that another thread freed or made knows of that already.
std::uint64_t Engine::generation() { return the_generation.load(std::memory_order_relaxed); }

void Engine::keep_verdicts() {
  if (verdicts_.empty()) return;
  if (const auto wrong = write_verdicts(verdicts_, world_->settings.verdicts)) {
    fmt::print(stderr, "espalier: ESPALIER_VERDICTS: {}: {}\n", wrong->where, wrong->what);
  }
}

LastCall& Engine::last_call() { return of_thread<LastCall, kLastCallPart>(); }

std::uint64_t Engine::count(const std::string& name) {
  const std::lock_guard lock(mutex_);
  CallCounts counts;
  counts.add(past_counts_);
  std::vector<LevelCount> sent = past_sent_;
  std::uint64_t undecided = 0;
  for (const auto& [handle, one] : live_) {
    undecided += one->undecided();
    counts.add(one->counts);
    if (one->executor_if_any() != nullptr) add_to(sent, one->executor_if_any()->channel().sent());
  }
  if (name == "planned") return counts.planned_calls();
  if (name == "native") {
    std::uint64_t sum = counts.native_calls();
    for (const runtime::PassedCalls& one : passed()) sum += one.calls;
    return sum;
  }
  if (name == "hidden") return static_cast<std::uint64_t>(share_.taken());
  if (name == "communicators") return live_.size();
  if (name == "groups") return groups_.made();
  if (name == "choices") return groups_.choices();
  if (name == "undecided") return undecided;
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return 0;
  const std::string kind = name.substr(0, dot), rest = name.substr(dot + 1);
  if (rest.starts_with("MPI")) {
    for (const runtime::PassedCalls& one : passed()) {
      if (one.function.name == rest) return one.calls;
    }
    return 0;
  }
  if (kind == "planned" || kind == "native") {
    const auto operation = schedule::operation_named(rest);
    if (!operation) return 0;
    const auto o = static_cast<std::size_t>(*operation);
    if (kind == "planned") return counts.planned[o];
    std::uint64_t sum = 0;
    for (const std::uint64_t calls : counts.native(*operation)) sum += calls;
    return sum;
  }
  const auto level = static_cast<std::size_t>(std::strtoul(rest.c_str(), nullptr, 10));
  if (level >= sent.size()) return 0;
  return kind == "messages" ? sent[level].messages : kind == "bytes" ? sent[level].bytes : 0;
}

}  // namespace espalier::mpi
