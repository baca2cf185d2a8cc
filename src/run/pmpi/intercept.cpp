// The bodies of the wrappers: nothing clever. Each asks the engine, and goes on to the next library
// if the call is not planned. No exception of ours leaves this folder; the user's pass through.
#include "pmpi/intercept.hpp"

#include "mpi/self_test.hpp"
#include "pmpi/exports.hpp"
#include "pmpi/fortran.hpp"
#include "pmpi/functions.hpp"
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

std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count < 0 ? 0 : count) * static_cast<std::uint64_t>(size);
}

namespace {

void stop() { delete the_engine.exchange(nullptr); }

/// MPI deletes the attributes of MPI_COMM_SELF before it takes anything down. This ends us where a
/// program's MPI_Finalize does not come through us (some Fortran interfaces, PMPI_Finalize).
int stop_at_last(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  stop();
  return MPI_SUCCESS;
}

void start() {
  // A tool's MPI_Init of Fortran may call that of C: both come through us.
  static constinit std::atomic<bool> tried{false};
  if (tried.exchange(true)) return;
#ifdef ESPALIER_SMPI  // the only one that it can be linked with; and time is simulated
  const mpi::SelfTest found{true, nullptr};
#else
  const mpi::SelfTest found = mpi::test_mpi();
#endif
  // Handles are the same in all processes: so is this.
  if (!found.can_talk) return withdraw(found.wrong);
  try {
    the_engine.store(mpi::Engine::start(passed_functions(), found.wrong != nullptr).release());
  } catch (const std::exception& bug) {
    die(bug.what());
  }
  if (the_engine.load() == nullptr) return;
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_at_last, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);  // goes when the attribute does
}

}  // namespace

int intercept_init(std::intptr_t argc, std::intptr_t argv) {
  const int code = next_init(argc, argv);
  if (code == MPI_SUCCESS) start();
  return code;
}

int intercept_init_thread(std::intptr_t argc, std::intptr_t argv, std::intptr_t required,
                          std::intptr_t provided) {
  const int code = next_init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) start();
  return code;
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
  if (engine != nullptr) engine->note_passed(which);
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
  const int code = next_comm_dup_with_info(comm, info, newcomm);
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (code == MPI_SUCCESS && engine != nullptr) {
    engine->set_info(*as<MPI_Comm*>(newcomm), as<MPI_Info>(info), /*keeps=*/false);
  }
  return code;
}

namespace {

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
  engine->end_free(handle, *freed == MPI_COMM_NULL);
  return code;
}

}  // namespace

int intercept_comm_free(std::intptr_t comm) { return free_by<next_comm_free>(comm); }

int intercept_comm_disconnect(std::intptr_t comm) { return free_by<next_comm_disconnect>(comm); }

namespace {

CallShape shape_of_bcast(std::intptr_t count, std::intptr_t datatype, std::intptr_t root) {
  CallShape shape{schedule::Operation::Broadcast};
  shape.numbers = {as<std::int64_t>(count), as<int>(root)};
  shape.types[0] = as<MPI_Datatype>(datatype);
  return shape;
}

[[gnu::noinline]] int decide_bcast(std::intptr_t buffer, std::intptr_t count,
                                   std::intptr_t datatype, std::intptr_t root, std::intptr_t comm) {
  return decide(
      shape_of_bcast(count, datatype, root), as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.broadcast(as<void*>(buffer), as<std::int64_t>(count),
                                as<MPI_Datatype>(datatype), as<int>(root), as<MPI_Comm>(comm),
                                code);
      },
      [&] { return next_bcast(buffer, count, datatype, root, comm); },
      [&] { return bytes_of(as<std::int64_t>(count), as<MPI_Datatype>(datatype)); });
}
}  // namespace
int intercept_bcast(std::intptr_t buffer, std::intptr_t count, std::intptr_t datatype,
                    std::intptr_t root, std::intptr_t comm) {
  return intercept<decide_bcast, next_bcast>(shape_of_bcast(count, datatype, root), buffer, count,
                                             datatype, root, comm);
}

namespace {
[[gnu::noinline]] int decide_barrier(std::intptr_t comm) {
  return decide(
      {schedule::Operation::Barrier}, as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) { return engine.barrier(as<MPI_Comm>(comm), code); },
      [&] { return next_barrier(comm); }, [] { return std::uint64_t{0}; });
}
}  // namespace
int intercept_barrier(std::intptr_t comm) {
  return intercept<decide_barrier, next_barrier>({schedule::Operation::Barrier}, comm);
}

}  // namespace espalier::pmpi

std::uint64_t espalier_query_count(const char* name) {
  auto* engine = espalier::pmpi::the_engine.load();
  return engine == nullptr ? 0 : engine->count(name);
}

const char* espalier_query_last(int* planned) {
  const auto& last = espalier::mpi::Engine::last_call();
  *planned = last.outcome.planned ? 1 : 0;
  return last.outcome.planned ? last.plan.data() : name_of(last.outcome.reason).data();
}
