#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "base/contract.hpp"

namespace espalier {

/// A small seeded generator with the same numbers on every machine and compiler (std's
/// distributions are not so): SplitMix64, G. Steele, D. Lea, C. Flood, OOPSLA 2014.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound) but for a bias below bound / 2^64. @pre bound > 0
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// Uniform in [low, high]. @pre low <= high
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// True in `percent` of 100 cases.
  constexpr bool chance(unsigned percent) { return below(100) < percent; }

  /// Fisher-Yates.
  template <typename T>
  constexpr void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace espalier
