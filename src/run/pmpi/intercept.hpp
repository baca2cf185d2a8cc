#pragma once

// What the bodies of the wrappers share.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "mpi/engine.hpp"
#include "mpi/seconds_now.hpp"
#include "mpi/thread_block.hpp"
#include "pmpi/known_native.hpp"
#include "pmpi/native_start.hpp"
#include "pmpi/registers.hpp"

namespace espalier::pmpi {

/// What functions of ours answer that programs may call (include/espalier.h, runtime_calls.h).
enum Code : int { kOk = 0, kNoLibrary = 1, kUnknownMachine = 2, kOtherProcesses = 3 };

/// The one global: there is an engine between MPI_Init and MPI_Finalize, if the ranks agreed on
/// one.
extern std::atomic<mpi::Engine*> the_engine;

[[nodiscard, gnu::always_inline]] inline KnownNative& known_native() {
  return mpi::of_thread<KnownNative, mpi::kKnownNativePart>();
}

/// Ends the program after a bug of ours. After the first message of a call there is no fallback:
/// ranks would wait for each other for ever.
[[noreturn]] void die(const char* what) noexcept;

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

/// How the last call of this thread ran, for tests.
struct LastCall {
  CallResult result;
  std::array<char, 80> plan{};  ///< name of the plan; only set by planned calls
};
[[nodiscard, gnu::always_inline]] inline LastCall& last_call() {
  return mpi::of_thread<LastCall, mpi::kLastCallPart>();
}

/// A side of a call, from arguments as wide as a register.
[[gnu::always_inline]] inline mpi::Side side_of(std::intptr_t buffer, std::intptr_t count,
                                                std::intptr_t type) {
  mpi::Side side;
  side.buffer = as<const void*>(buffer);
  side.count = as<std::int64_t>(count);
  side.type = as<MPI_Datatype>(type);
  return side;
}
/// A side of several blocks. Displacements may be missing: MPI_Reduce_scatter has none.
[[gnu::always_inline]] inline mpi::Side side_of_blocks(std::intptr_t buffer, std::intptr_t counts,
                                                       std::intptr_t displacements,
                                                       std::intptr_t type) {
  mpi::Side side = side_of(buffer, 0, type);
  side.counts = as<const int*>(counts);
  side.displacements = as<const int*>(displacements);
  return side;
}
/// Likewise, with a type for each block. A call without types is as wrong as one without counts.
[[gnu::always_inline]] inline mpi::Side side_of_types(std::intptr_t buffer, std::intptr_t counts,
                                                      std::intptr_t displacements,
                                                      std::intptr_t types) {
  mpi::Side side;
  side.buffer = as<const void*>(buffer);
  side.counts = types == 0 ? nullptr : as<const int*>(counts);
  side.displacements = as<const int*>(displacements);
  side.types = as<const MPI_Datatype*>(types);
  return side;
}

/// Likewise, with displacements as MPI_Neighbor_alltoallw has them.
[[gnu::always_inline]] inline mpi::Side side_of_neighbour_types(std::intptr_t buffer,
                                                                std::intptr_t counts,
                                                                std::intptr_t displacements,
                                                                std::intptr_t types) {
  mpi::Side side = side_of_types(buffer, counts, 0, types);
  side.byte_displacements = as<const MPI_Aint*>(displacements);
  return side;
}

/// Asks the engine for a call that is not known to be native. A planned call has run then, and the
/// user's error handler has its error. For a native one, `is_timed` says whether finish_native()
/// wants its time: if a trial or a watch does, or if a log is kept.
///
/// The user's error handler may throw, or jump away: while it may be called nothing of ours is to
/// be undone, and nobody here catches.
struct Asked {
  mpi::Outcome outcome;
  bool is_timed = false;
};
[[nodiscard]] Asked ask_engine(const mpi::LocalCall& call);
/// @param begin when the native call began; it succeeded
void finish_native(const mpi::LocalCall& call, Asked& asked, double begin);

/// Starts a call that does not block, along a plan or, if its time is wanted, natively.
/// @return false: it is native, and not started yet
[[nodiscard]] bool start_call(const mpi::LocalCall& call, std::intptr_t request, int& code,
                              const NativeStart& native);

/// Makes a persistent call along a plan. Collective. @return false: it is native
[[nodiscard]] bool init_call(const mpi::LocalCall& call, std::intptr_t request, int& code);

/// Runs a call that is not known to be native.
template <auto Next, typename... Arguments>
[[gnu::always_inline]] inline int decide(const mpi::LocalCall& call, Arguments... arguments) {
  Asked asked = ask_engine(call);
  if (asked.outcome.planned) return asked.outcome.code;
  if (!asked.is_timed) return Next(arguments...);
  const double begin = mpi::seconds_now();
  const int code = Next(arguments...);
  if (code == MPI_SUCCESS) finish_native(call, asked, begin);
  return code;
}

/// What is known to be native costs some loads and a jump: its arguments stay in their registers.
[[nodiscard, gnu::always_inline]] inline bool is_known_native(const mpi::LocalCall& call) {
  const KnownNative::Told* told = known_native().find(call, mpi::Registry::generation());
  if (told == nullptr) return false;
  ++*told->calls;
  last_call().result = told->result;
  return true;
}

}  // namespace espalier::pmpi
