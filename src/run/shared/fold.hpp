#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "shared/member.hpp"

namespace espalier::shared {

/// Elements that are combined by loops of our own.
enum class Kind : std::uint8_t { Int32, Int64, UInt32, UInt64, Float, Double };
enum class Arithmetic : std::uint8_t { Sum, Product, Max, Min, BitAnd, BitOr, BitXor };

/// Loops over all inputs at once; nullptr if there are none for this pair.
[[nodiscard]] const Combine* combine_of(Kind kind, Arithmetic arithmetic);

/// Combines two at a time, by a function: second = first op second.
class CombinePairs : public Combine {
 public:
  using Pair = std::function<void(const std::byte* first, std::byte* second, std::uint64_t bytes)>;
  /// @param element bytes of an element
  CombinePairs(Pair pair, std::uint64_t element) : pair_(std::move(pair)), element_(element) {}
  void fold(std::span<const std::byte* const> inputs, std::byte* out,
            std::uint64_t bytes) const override;

 private:
  Pair pair_;
  std::uint64_t element_;
};

}  // namespace espalier::shared
