#pragma once

#include <cstdint>
#include <type_traits>

namespace espalier::pmpi {

// Arguments of wrappers are as wide as a register, whatever they are. MPICH's handles are ints,
// Open MPI's are pointers.

/// The argument as its own type.
template <typename T>
T as(std::intptr_t argument) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(argument);  // NOLINT(performance-no-int-to-ptr): it was one
  } else {
    return static_cast<T>(argument);
  }
}

/// The value as an argument.
template <typename T>
std::intptr_t in_register(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::intptr_t>(value);
  } else {
    return static_cast<std::intptr_t>(value);
  }
}

}  // namespace espalier::pmpi
