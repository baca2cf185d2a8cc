#pragma once

#include <cstddef>

#include "front/thread_block.h"
#include "mpi/mpi_traits.hpp"

/// The front library's, or thread_block.cpp's in programs that have no front.
extern "C" constinit thread_local std::byte espalier_thread_block[ESPALIER_THREAD_BLOCK_BYTES];

namespace espalier::mpi {

/// Under SMPI only, where all ranks are one thread: each rank has its own copy of the program's
/// variables, but not of a thread's.
extern std::byte block_of_rank[ESPALIER_THREAD_BLOCK_BYTES];

/// A part of the block; parts do not overlap.
struct ThreadPart {
  std::size_t begin = 0;
  std::size_t end = 0;
};
inline constexpr ThreadPart kLastCallPart{0, 192};
inline constexpr ThreadPart kLastCommunicatorPart{192, 256};
inline constexpr ThreadPart kLayoutsPart{256, 1024};
inline constexpr ThreadPart kKnownNativePart{1024, ESPALIER_THREAD_BLOCK_BYTES};

/// A variable of this thread in its part of the block. Zeros are its first value.
template <typename T, ThreadPart Part>
[[nodiscard, gnu::always_inline]] inline T& of_thread() {
  static_assert(Part.begin % alignof(T) == 0 && alignof(T) <= ESPALIER_THREAD_BLOCK_ALIGNMENT);
  static_assert(sizeof(T) <= Part.end - Part.begin, "the part is too small: move the others");
  if constexpr (kIsSimulated) return *reinterpret_cast<T*>(block_of_rank + Part.begin);
  return *reinterpret_cast<T*>(espalier_thread_block + Part.begin);
}

}  // namespace espalier::mpi
