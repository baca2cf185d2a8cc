#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <vector>

namespace espalier::sim {

/// Reserves room for `count` values, in large pages if it is much. The graph of a million messages
/// is read all over the place; in pages of 4 KiB most of these reads also miss the table of pages.
/// Only a wish: where the system does not grant it, nothing else changes.
template <typename T>
void reserve_in_large_pages(std::vector<T>& values, std::size_t count) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  values.reserve(count);
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = begin + values.capacity() * sizeof(T);
  if (end < first + kLargePage) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the vector, rounded up
  (void)::madvise(reinterpret_cast<void*>(first), (end - first) / kLargePage * kLargePage,
                  MADV_HUGEPAGE);
}

}  // namespace espalier::sim
