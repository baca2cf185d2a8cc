#pragma once

#include <atomic>
#include <cstdint>

#include "front/variant.h"

namespace espalier::pmpi {

/// Called by the front library (src/run/front) before any wrapper runs.
void attach(const espalier_front_services* services);
/// Makes every call bypass the wrappers from now on. Does nothing if they are linked into the
/// program.
/// @param why one line for the user; may be null
void withdraw(const char* why);

/// The next definition of a function after ours; nullptr if there is none.
[[nodiscard]] void* look_up_next(const char* name);
/// Ends the program: nobody defines what it called.
[[noreturn]] void nobody_defines(const char* name);

/// Whether a large count fits the usual functions.
[[nodiscard]] inline bool is_int(std::intptr_t count) { return count == static_cast<int>(count); }

/// The definition of a function that would be called if we were not here: another preload's (a
/// profiler's), or the MPI library's. Looked up at its first use; without constructors.
template <typename Function>
class NextFunction {
 public:
  /// @param otherwise used if nobody after us defines it (statically linked programs); may be null
  constexpr NextFunction(const char* name, Function* otherwise)
      : name_(name), otherwise_(otherwise) {}

  [[nodiscard]] Function* address() {
    Function* known = address_.load(std::memory_order_relaxed);
    return known != nullptr ? known : find();
  }

 private:
  /// The slow path, not inlined: a call that is handed on should cost no more than a jump.
  [[gnu::noinline, gnu::cold]] Function* find() {
    auto* found = reinterpret_cast<Function*>(look_up_next(name_));
    if (found == nullptr) found = otherwise_;
    if (found == nullptr) nobody_defines(name_);
    address_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* name_;
  Function* otherwise_;
  std::atomic<Function*> address_{nullptr};
};

}  // namespace espalier::pmpi
