#pragma once

// What the bodies of the wrappers share.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <type_traits>
#include <utility>

#include "mpi/engine.hpp"
#include "pmpi/known_native.hpp"

namespace espalier::pmpi {

/// The one global: there is an engine between MPI_Init and MPI_Finalize, if the ranks agreed on
/// one.
extern std::atomic<mpi::Engine*> the_engine;

extern constinit thread_local KnownNative known_native;

/// An argument as wide as a register, as what it is.
template <typename T>
T as(std::intptr_t argument) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(argument);  // NOLINT(performance-no-int-to-ptr): it was one
  } else {
    return static_cast<T>(argument);
  }
}

/// After the first message there is no way back: a bug in us ends the program rather than its ranks
/// waiting for each other.
[[noreturn]] void die(const char* what) noexcept;

/// 0 where that makes no sense.
[[nodiscard]] std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// A call that is not known to be native: planned(engine, code) asks the engine, native() goes on;
/// timed if a trial wants to know, or, if native, a log is kept.
template <typename Planned, typename Native, typename Size>
[[gnu::noinline]] int decide(mpi::Engine& engine, CallShape shape, MPI_Comm comm, Planned planned,
                             Native native, Size size) {
  try {
    const std::uint64_t generation = mpi::Engine::generation();
    mpi::LastCall& last = mpi::Engine::last_call();
    int code = MPI_SUCCESS;
    const bool is_planned = planned(engine, code);
    const bool keeps_log = engine.keeps_log();
    runtime::Course* const timed = std::exchange(last.timed, nullptr);
    if (timed == nullptr) {
      if (is_planned) return code;
      std::uint64_t* const calls = std::exchange(last.native_for_good, nullptr);
      if (!keeps_log) {
        if (calls != nullptr) {
          known_native.remember(shape, comm, generation, last.size, calls, last.reason);
        }
        return native();
      }
    }
    double begin = last.begin;
    if (!is_planned) {
      begin = PMPI_Wtime();
      code = native();
    }
    if (code != MPI_SUCCESS) return code;
    const double seconds = PMPI_Wtime() - begin;
    if (timed != nullptr) timed->note(begin, seconds, size());
    if (!is_planned && keeps_log) engine.note_native(shape.operation, size(), comm, seconds);
    return code;
  } catch (const std::exception& bug) {
    die(bug.what());
  }
}

template <typename Planned, typename Native, typename Size>
[[gnu::always_inline]] inline int intercept(const CallShape& shape, MPI_Comm comm, Planned planned,
                                            Native native, Size size) {
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) return native();
  if (const KnownNative::Told* told = known_native.find(shape, comm, mpi::Engine::generation())) {
    ++*told->calls;
    mpi::LastCall& last = mpi::Engine::last_call();
    last.planned = false;
    last.reason = told->reason;
    return native();
  }
  return decide(*engine, shape, comm, planned, native, size);
}

}  // namespace espalier::pmpi
