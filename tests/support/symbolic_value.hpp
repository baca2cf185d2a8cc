#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace espalier::testing_support {

/// One unit of a buffer as a symbol: which input it is, or which inputs were combined, in which
/// order and with which parentheses. Held as fingerprints, equal by chance in one of 2^64 cases.
struct Symbol {
  std::uint64_t count = 0;     ///< inputs in it; 0: nothing was ever written here
  std::uint64_t multiset = 0;  ///< of the inputs, whatever their order
  std::uint64_t sequence = 0;  ///< of the inputs from left to right
  std::uint64_t shift = 1;     ///< kBase^count
  std::uint64_t tree = 0;      ///< of the whole expression: equal ones have the same bits

  friend bool operator==(const Symbol&, const Symbol&) = default;
};

inline std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Unit `index` of what a rank puts in.
inline Symbol input(Rank rank, std::uint64_t index) {
  constexpr std::uint64_t kBase = 0xd1342543de82ef95ULL;
  const std::uint64_t name = scrambled(scrambled(rank) + index);
  return {1, name, name, kBase, name};
}

/// left (op) right. @pre neither is nothing
inline Symbol combined(const Symbol& left, const Symbol& right) {
  return {left.count + right.count, left.multiset + right.multiset,
          left.sequence * right.shift + right.sequence, left.shift * right.shift,
          scrambled(scrambled(left.tree) + 3 * right.tree)};
}

}  // namespace espalier::testing_support
