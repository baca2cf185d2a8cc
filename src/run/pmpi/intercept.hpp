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
#include "mpi/thread_block.hpp"
#include "pmpi/known_native.hpp"

namespace espalier::pmpi {

/// What functions of ours answer that programs may call (include/espalier.h, runtime_calls.h).
enum Code : int { kOk = 0, kNoLibrary = 1, kUnknownMachine = 2, kOtherProcesses = 3 };

/// The one global: there is an engine between MPI_Init and MPI_Finalize, if the ranks agreed on
/// one.
extern std::atomic<mpi::Engine*> the_engine;

[[nodiscard, gnu::always_inline]] inline KnownNative& known_native() {
  return mpi::of_thread<KnownNative, mpi::kKnownNativePart>();
}

/// Turns an argument as wide as a register into its own type.
template <typename T>
T as(std::intptr_t argument) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(argument);  // NOLINT(performance-no-int-to-ptr): it was one
  } else {
    return static_cast<T>(argument);
  }
}

/// Ends the program after a bug of ours. After the first message of a call there is no fallback:
/// ranks would wait for each other for ever.
[[noreturn]] void die(const char* what) noexcept;

/// Bytes of so many elements; 0 if the arguments make no sense.
[[nodiscard]] std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// Runs code of ours that must not throw; an exception is a bug and ends the program.
template <typename Work>
[[gnu::always_inline]] inline auto without_bugs(Work work) {
  try {
    return work();
  } catch (const std::exception& bug) {
    die(bug.what());
  }
}

/// Hands the error of a planned call to the user's error handler. @return the code
[[gnu::cold]] int hand_to_user(MPI_Comm comm, int code);

/// Runs a call that is not known to be native: planned(engine, code) asks the engine; if it says
/// native, native() calls the MPI library. The call is timed if a trial or a watch wants its time,
/// or if it is native and a log is kept.
///
/// The user's error handler may throw, or jump away: while it may be called nothing of ours is to
/// be undone, and nobody here catches.
template <typename Planned, typename Native, typename Size>
[[gnu::noinline]] int decide(CallShape shape, MPI_Comm comm, Planned planned, Native native,
                             Size size) {
  mpi::Engine* const there = the_engine.load(std::memory_order_acquire);
  if (there == nullptr) return native();
  mpi::Engine& engine = *there;
  const std::uint64_t generation = mpi::Engine::generation();
  mpi::LastCall& last = mpi::Engine::last_call();
  int code = MPI_SUCCESS;
  const bool is_planned = without_bugs([&] { return planned(engine, code); });
  runtime::ClassPolicy* const timed = std::exchange(last.timed, nullptr);
  if (is_planned && code != MPI_SUCCESS) return hand_to_user(comm, code);
  const bool keeps_log = engine.keeps_log();
  if (timed == nullptr) {
    if (is_planned) return code;
    std::uint64_t* const calls = std::exchange(last.native_for_good, nullptr);
    if (!keeps_log) {
      if (calls != nullptr) {
        known_native().remember(shape, comm, generation, last.size, calls, last.outcome);
      }
      return native();
    }
  }
  last.native_for_good = nullptr;
  double begin = last.begin;
  if (!is_planned) {
    begin = PMPI_Wtime();
    code = native();
    if (code != MPI_SUCCESS) return code;
  }
  without_bugs([&] {
    const double seconds = PMPI_Wtime() - begin;
    if (timed != nullptr) timed->note(begin, seconds, size());
    if (!is_planned && keeps_log) engine.note_native(shape.operation, size(), comm, seconds);
  });
  return code;
}

[[nodiscard, gnu::always_inline]] inline bool is_known_native(const CallShape& shape,
                                                              MPI_Comm comm) {
  const KnownNative::Told* told = known_native().find(shape, comm, mpi::Engine::generation());
  if (told == nullptr) return false;
  ++*told->calls;
  mpi::Engine::last_call().outcome = told->outcome;
  return true;
}

/// What is known to be native costs some loads and a jump: its arguments stay in their registers.
/// @param arguments of the call, the communicator last
template <auto Decide, auto Next, typename... Arguments>
[[gnu::always_inline]] inline int intercept(const CallShape& shape, Arguments... arguments) {
  std::intptr_t comm = 0;
  ((comm = arguments), ...);
  return is_known_native(shape, as<MPI_Comm>(comm)) ? Next(arguments...) : Decide(arguments...);
}

}  // namespace espalier::pmpi
