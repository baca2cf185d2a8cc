#pragma once

namespace espalier::pmpi {

/// The MPI library's own start of a call that does not block, with the program's arguments. Refers
/// to what it was made of.
struct NativeStart {
  int (*run)(const void* work) = nullptr;
  const void* work = nullptr;
  [[nodiscard]] int operator()() const { return run(work); }
};

template <typename Work>
[[nodiscard]] NativeStart native_start(const Work& work) {
  return {[](const void* it) { return (*static_cast<const Work*>(it))(); }, &work};
}

}  // namespace espalier::pmpi
