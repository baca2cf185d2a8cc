// What the wrappers of collectives share (those are made by scripts/generate_wrappers.py), and the
// bodies of others: nothing clever. No exception of ours leaves this folder; the user's pass
// through.
#include "pmpi/intercept.hpp"

#include <algorithm>

#include "mpi/mpi_traits.hpp"
#include "mpi/progress_thread.hpp"
#include "mpi/roll_call.hpp"
#include "mpi/seconds_now.hpp"
#include "mpi/self_test.hpp"
#include "pmpi/exports.hpp"
#include "pmpi/fortran.hpp"
#include "pmpi/functions.hpp"
#include "pmpi/make_communicator.hpp"
#include "pmpi/next_function.hpp"

namespace espalier::pmpi {

std::atomic<mpi::Engine*> the_engine{nullptr};

void die(const char* what) noexcept {
  std::fprintf(stderr, "espalier: a bug: %s\n", what);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

int hand_to_user(MPI_Comm comm, int code) {
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

Asked ask_engine(const mpi::LocalCall& call) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) return {};
  if (const int code = engine->registry().check(call.comm); code != MPI_SUCCESS) {
    last_call().result = {false, runtime::Reason::Arguments};
    Asked wrong;
    wrong.outcome.planned = true;  // the error handler has been called
    wrong.outcome.code = code;
    return wrong;
  }
  const std::uint64_t generation = mpi::Registry::generation();
  Asked asked{without_bugs([&] { return engine->run(call); })};
  const mpi::Outcome& outcome = asked.outcome;
  LastCall& last = last_call();
  last.result = {outcome.planned, outcome.why};
  if (outcome.planned) {
    last.plan[outcome.plan.copy(last.plan.data(), last.plan.size() - 1)] = 0;
    if (outcome.code != MPI_SUCCESS) hand_to_user(call.comm, outcome.code);
    return asked;
  }
  asked.is_timed = outcome.timing.policy != nullptr || engine->keeps_log();
  if (!asked.is_timed && outcome.native_for_good != nullptr) {
    known_native().remember(call, generation, outcome.size, {outcome.native_for_good, last.result});
  }
  return asked;
}

bool may_start() { return the_engine.load(std::memory_order_acquire) != nullptr; }

namespace {

using Begin = mpi::Outcome (mpi::Engine::*)(const mpi::LocalCall&, MPI_Request*);

/// Nothing is undone here if the program's error handler throws.
int start_and_adopt(mpi::Engine& engine, const mpi::LocalCall& call, MPI_Request* request,
                    const NativeStart& native) {
  const int code = native();
  without_bugs([&] { engine.adopt(call, code, request); });
  return code;
}

bool begin_by(Begin begin, const mpi::LocalCall& call, std::intptr_t request, int& code,
              const NativeStart* native) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) return false;
  if (request == 0) {
    last_call().result = {false, runtime::Reason::Arguments};
    return false;
  }
  code = engine->registry().check(call.comm);
  if (code != MPI_SUCCESS) {
    last_call().result = {false, runtime::Reason::Arguments};
    *as<MPI_Request*>(request) = MPI_REQUEST_NULL;
    return true;  // the error handler has been called
  }
  const mpi::Outcome outcome =
      without_bugs([&] { return (engine->*begin)(call, as<MPI_Request*>(request)); });
  LastCall& last = last_call();
  last.result = {outcome.planned, outcome.why};
  if (outcome.planned) last.plan[outcome.plan.copy(last.plan.data(), last.plan.size() - 1)] = 0;
  code = outcome.code;
  if (outcome.planned && code != MPI_SUCCESS) {
    *as<MPI_Request*>(request) = MPI_REQUEST_NULL;
    hand_to_user(call.comm, code);
  }
  const bool is_adopted = outcome.is_adopted && native != nullptr;
  if (is_adopted) code = start_and_adopt(*engine, call, as<MPI_Request*>(request), *native);
  without_bugs([&] { engine->progress().run_thread(); });
  return is_adopted || outcome.planned;
}

}  // namespace

bool start_call(const mpi::LocalCall& call, std::intptr_t request, int& code,
                const NativeStart& native) {
  return begin_by(&mpi::Engine::start, call, request, code, &native);
}

bool init_call(const mpi::LocalCall& call, std::intptr_t request, int& code) {
  return begin_by(&mpi::Engine::init, call, request, code, nullptr);
}

void finish_native(const mpi::LocalCall& call, Asked& asked, double begin) {
  const double seconds = mpi::seconds_now() - begin;
  asked.outcome.timing.begin = begin;
  without_bugs([&] { the_engine.load()->note_native(call, asked.outcome, seconds); });
}

namespace {

void stop() { delete the_engine.exchange(nullptr); }

/// MPI deletes the attributes of MPI_COMM_SELF before it takes anything down, the last one first:
/// this one, of MPI_Init, after those of the program. It ends us where a program's MPI_Finalize
/// does not come through us (some Fortran interfaces, PMPI_Finalize).
int stop_at_last(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  stop();
  mpi::RollCall::finish_left();
  return MPI_SUCCESS;
}

void start() {
  // A tool's MPI_Init of Fortran may call that of C: both come through us.
  static constinit std::atomic<bool> tried{false};
  if (tried.exchange(true)) return;
  // A simulated MPI is the only one that it can be linked with.
  const mpi::SelfTest found = mpi::kIsSimulated ? mpi::SelfTest{true, nullptr} : mpi::test_mpi();
  // Handles are the same in all processes: so is this.
  if (!found.can_talk) return withdraw(found.wrong);
  try {
    const bool is_unfit = found.wrong != nullptr || mpi::is_fault_tolerant();
    the_engine.store(mpi::Engine::start(passed_functions(), is_unfit).release());
  } catch (const std::exception& bug) {
    die(bug.what());
  }
  if (the_engine.load() == nullptr) return;
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_at_last, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);  // goes when the attribute does
}

/// Asks for MPI_THREAD_MULTIPLE, since a thread of ours wants to be in MPI too.
/// @param asked the level that the program asks for @param has what it is told that it has
int init_for_thread(std::intptr_t argc, std::intptr_t argv, int asked, int& has) {
  int given = MPI_THREAD_SINGLE;
  const int code =
      next_init_thread(argc, argv, MPI_THREAD_MULTIPLE, reinterpret_cast<std::intptr_t>(&given));
  if (code != MPI_SUCCESS) return code;
  if (given == MPI_THREAD_MULTIPLE && asked < given) mpi::note_raised_level(asked);
  has = std::min(given, asked);
  start();
  return code;
}

}  // namespace

int intercept_init(std::intptr_t argc, std::intptr_t argv) {
  int has = 0;
  if (mpi::wants_progress_thread()) return init_for_thread(argc, argv, MPI_THREAD_SINGLE, has);
  const int code = next_init(argc, argv);
  if (code == MPI_SUCCESS) start();
  return code;
}

int intercept_init_thread(std::intptr_t argc, std::intptr_t argv, std::intptr_t required,
                          std::intptr_t provided) {
  if (mpi::wants_progress_thread() && provided != 0) {
    return init_for_thread(argc, argv, as<int>(required), *as<int*>(provided));
  }
  const int code = next_init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) start();
  return code;
}

/// The level that the program was told in MPI_Init_thread.
int intercept_query_thread(std::intptr_t provided) {
  if (provided == 0 || !mpi::is_level_raised()) return next_query_thread(provided);
  *as<int*>(provided) = mpi::level_of_program();
  return MPI_SUCCESS;
}

int intercept_finalize() {
  stop();
  return next_finalize();
}

void after_fortran_init() {
  int is_initialized = 0;
  PMPI_Initialized(&is_initialized);
  if (is_initialized != 0) start();
}

void before_fortran_finalize() { stop(); }

void note_passed(std::size_t which) {
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine != nullptr) engine->ledger().note_passed(which);
}

void note_native_start(std::size_t which) {
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine != nullptr) engine->ledger().note_passed(which, last_call().result.why);
}

/// MPI forbids it for collectives. Cancelled, such a request of ours would take the message that
/// completes a later one.
int intercept_cancel(std::intptr_t request) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr || request == 0) return next_cancel(request);
  const MPI_Request cancelled = *as<MPI_Request*>(request);
  if (!engine->progress().is_open(cancelled) && !engine->progress().persistent().holds(cancelled)) {
    return next_cancel(request);
  }
  return hand_to_user(MPI_COMM_WORLD, MPI_ERR_REQUEST);
}

namespace {

/// The engine, if it has planned persistent calls.
mpi::Engine* persistent_engine() {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  return engine != nullptr && !engine->progress().persistent().is_empty() ? engine : nullptr;
}

bool is_planned(mpi::Engine& engine, MPI_Request request) {
  return without_bugs([&] { return engine.progress().persistent().holds(request); });
}

bool is_active(mpi::Engine& engine, MPI_Request request) {
  return without_bugs([&] { return !engine.progress().persistent().is_inactive(request); });
}

/// Starts a planned call. Nothing is undone here if the program's error handler throws: MPI calls
/// it where the program has not waited for this request.
int start_planned(mpi::Engine& engine, MPI_Request* request) {
  const MPI_Request before = *request;
  if (is_active(engine, before)) return hand_to_user(MPI_COMM_WORLD, MPI_ERR_REQUEST);
  if (const int code = PMPI_Start(request); code != MPI_SUCCESS) return code;
  without_bugs([&] {
    engine.progress().persistent().start(before, *request);
    engine.progress().run_thread();
  });
  return MPI_SUCCESS;
}

int startall_native(MPI_Request* requests, int count) {
  return next_startall(count, reinterpret_cast<std::intptr_t>(requests));
}

}  // namespace

int intercept_start(std::intptr_t request) {
  mpi::Engine* const engine = persistent_engine();
  if (engine == nullptr || request == 0) return next_start(request);
  auto* const started = as<MPI_Request*>(request);
  return is_planned(*engine, *started) ? start_planned(*engine, started) : next_start(request);
}

int intercept_startall(std::intptr_t count, std::intptr_t requests) {
  mpi::Engine* const engine = persistent_engine();
  auto* const first = as<MPI_Request*>(requests);
  const int all = as<int>(count);
  if (engine == nullptr || first == nullptr || all <= 0) return next_startall(count, requests);
  // MPI starts none if it refuses one. Here none of ours is started then, nor any other before one
  // that is seen to be wrong.
  int planned = 0;
  for (int i = 0; i < all; ++i) {
    if (first[i] == MPI_REQUEST_NULL) {
      const int code = startall_native(first + i, 1);
      if (code != MPI_SUCCESS) return code;
    } else if (is_planned(*engine, first[i])) {
      if (is_active(*engine, first[i])) return hand_to_user(MPI_COMM_WORLD, MPI_ERR_REQUEST);
      ++planned;
    }
  }
  if (planned == 0) return next_startall(count, requests);
  for (int i = 0, end = 0; planned < all && i < all; i = end + 1) {
    for (end = i; end < all && !is_planned(*engine, first[end]);) ++end;
    const int code = end == i ? MPI_SUCCESS : startall_native(first + i, end - i);
    if (code != MPI_SUCCESS) return code;
  }
  for (int i = 0; i < all; ++i) {
    if (!is_planned(*engine, first[i])) continue;
    const int code = start_planned(*engine, first + i);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

/// MPI forbids it for collectives that are under way, but native ones go on.
int intercept_request_free(std::intptr_t request) {
  mpi::Engine* const engine = the_engine.load(std::memory_order_acquire);
  auto* const freed = as<MPI_Request*>(request);
  if (engine == nullptr || freed == nullptr) return next_request_free(request);
  if (engine->progress().persistent().holds(*freed)) {
    without_bugs([&] { engine->progress().persistent().free(freed); });
    return MPI_SUCCESS;
  }
  if (!engine->progress().let_go(*freed)) return next_request_free(request);
  *freed = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int intercept_comm_set_info(std::intptr_t comm, std::intptr_t info) {
  const int code = next_comm_set_info(comm, info);
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (code == MPI_SUCCESS && engine != nullptr) {
    engine->set_info(as<MPI_Comm>(comm), as<MPI_Info>(info), /*keeps=*/true);
  }
  return code;
}

int intercept_comm_dup_with_info(std::intptr_t comm, std::intptr_t info, std::intptr_t newcomm) {
  const int code = make_communicator(comm, newcomm,
                                     [=] { return next_comm_dup_with_info(comm, info, newcomm); });
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (code == MPI_SUCCESS && engine != nullptr) {
    engine->set_info(*as<MPI_Comm*>(newcomm), as<MPI_Info>(info), /*keeps=*/false);
  }
  return code;
}

namespace {

/// Whether MPI says that a handle is of no communicator. It may be one's later.
bool was_no_communicator(int code) {
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) PMPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_COMM;
}

/// Nothing is undone here if the program's error handler throws.
template <auto Next>
int free_by(std::intptr_t comm) {
  const auto* const freed = as<const MPI_Comm*>(comm);
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  // These are not freed: MPI says so.
  const bool is_ours = engine != nullptr && freed != nullptr && *freed != MPI_COMM_NULL &&
                       *freed != MPI_COMM_WORLD && *freed != MPI_COMM_SELF;
  if (!is_ours) return Next(comm);
  const MPI_Comm handle = *freed;
  engine->begin_free(handle);
  const int code = Next(comm);
  engine->registry().end_free(handle, *freed == MPI_COMM_NULL || was_no_communicator(code));
  return code;
}

}  // namespace

int intercept_comm_free(std::intptr_t comm) { return free_by<next_comm_free>(comm); }

int intercept_comm_disconnect(std::intptr_t comm) { return free_by<next_comm_disconnect>(comm); }

}  // namespace espalier::pmpi

std::uint64_t espalier_query_count(const char* name) {
  auto* engine = espalier::pmpi::the_engine.load();
  return engine == nullptr ? 0 : engine->registry().count(name);
}

const char* espalier_query_last(int* planned) {
  const auto& last = espalier::pmpi::last_call();
  *planned = last.result.planned ? 1 : 0;
  return last.result.planned ? last.plan.data() : name_of(last.result.why).data();
}
