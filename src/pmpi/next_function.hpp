#pragma once

#include <atomic>

namespace espalier::pmpi {

/// Whether this process runs the MPI that we were built for. If it runs the other one, every call
/// is handed on untouched.
[[nodiscard]] bool is_our_mpi();

/// The definition of a function that would be called if we were not here: another preload's (a
/// profiler's), or the MPI library's. Looked up at its first use; without constructors.
class NextFunction {
 public:
  /// @param otherwise where nobody after us defines it (statically linked programs)
  constexpr NextFunction(const char* name, void* otherwise) : name_(name), otherwise_(otherwise) {}

  [[nodiscard]] void* address() {
    void* found = address_.load(std::memory_order_relaxed);
    return found != nullptr ? found : look_up();
  }

 private:
  void* look_up();

  const char* name_;
  void* otherwise_;
  std::atomic<void*> address_{nullptr};
};

}  // namespace espalier::pmpi
