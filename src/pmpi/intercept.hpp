#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>

#include "mpi/engine.hpp"

namespace espalier::pmpi {

/// The one global: there is an engine between MPI_Init and MPI_Finalize, if the ranks agreed on
/// one.
extern std::atomic<mpi::Engine*> the_engine;

/// After the first message there is no way back: a bug in us ends the program rather than its ranks
/// waiting for each other.
[[noreturn]] void die(const char* what) noexcept;

/// An argument as wide as a register, as what it is.
template <typename T>
T as(std::intptr_t argument) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(argument);  // NOLINT(performance-no-int-to-ptr): it was one
  } else {
    return static_cast<T>(argument);
  }
}

/// planned(engine, code) asks the engine, native() goes on; natives are timed if a log is kept.
template <typename Planned, typename Native, typename Size>
int intercept(schedule::Operation operation, MPI_Comm comm, Planned planned, Native native,
              Size size) {
  mpi::Engine* engine = the_engine.load(std::memory_order_acquire);
  if (engine == nullptr) return native();
  try {
    int code = MPI_SUCCESS;
    if (planned(*engine, code)) return code;
    if (!engine->keeps_log()) return native();
    const double begin = PMPI_Wtime();
    code = native();
    if (code == MPI_SUCCESS) {
      engine->note_native(operation, size(), comm, PMPI_Wtime() - begin);
    }
    return code;
  } catch (const std::exception& bug) {
    die(bug.what());
  }
}

}  // namespace espalier::pmpi
