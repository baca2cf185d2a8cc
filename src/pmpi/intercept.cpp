// The bodies of the wrappers: nothing clever. Each asks the engine, and goes on to the next library
// if the call is not planned. No exception leaves this file.
#include "pmpi/intercept.hpp"

#include <cstdio>
#include <cstdlib>

#include "pmpi/exports.hpp"
#include "pmpi/functions.hpp"

namespace espalier::pmpi {

std::atomic<mpi::Engine*> the_engine{nullptr};

void die(const char* what) noexcept {
  std::fprintf(stderr, "espalier: a bug: %s\n", what);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

namespace {

void stop() { delete the_engine.exchange(nullptr); }

/// MPI deletes the attributes of MPI_COMM_SELF before it takes anything down: the way out where a
/// program's MPI_Finalize does not come through us (some Fortran interfaces, PMPI_Finalize).
int stop_at_last(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  stop();
  return MPI_SUCCESS;
}

void start() {
  if (the_engine.load() != nullptr) return;
  try {
    the_engine.store(mpi::Engine::start().release());
  } catch (const std::exception& bug) {
    die(bug.what());
  }
  if (the_engine.load() == nullptr) return;
  int keyval = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_at_last, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  PMPI_Comm_free_keyval(&keyval);  // goes when the attribute does
}

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  if (count > 0 && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count < 0 ? 0 : count) * static_cast<std::uint64_t>(size);
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

int intercept_bcast(std::intptr_t buffer, std::intptr_t count, std::intptr_t datatype,
                    std::intptr_t root, std::intptr_t comm) {
  return intercept(
      schedule::Operation::Broadcast, as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.broadcast(as<void*>(buffer), as<int>(count), as<MPI_Datatype>(datatype),
                                as<int>(root), as<MPI_Comm>(comm), code);
      },
      [&] { return next_bcast(buffer, count, datatype, root, comm); },
      [&] { return bytes_of(as<int>(count), as<MPI_Datatype>(datatype)); });
}

int intercept_reduce(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                     std::intptr_t datatype, std::intptr_t op, std::intptr_t root,
                     std::intptr_t comm) {
  return intercept(
      schedule::Operation::Reduce, as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.reduce(as<const void*>(sendbuf), as<void*>(recvbuf), as<int>(count),
                             as<MPI_Datatype>(datatype), as<MPI_Op>(op), as<int>(root),
                             as<MPI_Comm>(comm), code);
      },
      [&] { return next_reduce(sendbuf, recvbuf, count, datatype, op, root, comm); },
      [&] { return bytes_of(as<int>(count), as<MPI_Datatype>(datatype)); });
}

int intercept_allreduce(std::intptr_t sendbuf, std::intptr_t recvbuf, std::intptr_t count,
                        std::intptr_t datatype, std::intptr_t op, std::intptr_t comm) {
  return intercept(
      schedule::Operation::Allreduce, as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) {
        return engine.allreduce(as<const void*>(sendbuf), as<void*>(recvbuf), as<int>(count),
                                as<MPI_Datatype>(datatype), as<MPI_Op>(op), as<MPI_Comm>(comm),
                                code);
      },
      [&] { return next_allreduce(sendbuf, recvbuf, count, datatype, op, comm); },
      [&] { return bytes_of(as<int>(count), as<MPI_Datatype>(datatype)); });
}

int intercept_barrier(std::intptr_t comm) {
  return intercept(
      schedule::Operation::Barrier, as<MPI_Comm>(comm),
      [&](mpi::Engine& engine, int& code) { return engine.barrier(as<MPI_Comm>(comm), code); },
      [&] { return next_barrier(comm); }, [] { return std::uint64_t{0}; });
}

}  // namespace espalier::pmpi

std::uint64_t espalier_query_count(const char* name) {
  auto* engine = espalier::pmpi::the_engine.load();
  return engine == nullptr ? 0 : engine->count(name);
}

const char* espalier_query_last(int* planned) {
  const auto& last = espalier::mpi::Engine::last_call();
  *planned = last.planned ? 1 : 0;
  return last.planned ? last.plan.data() : name_of(last.reason).data();
}
