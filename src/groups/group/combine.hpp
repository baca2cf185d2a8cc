#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

namespace espalier::group {

/// How two contributions become one: `into` = `into` (op) `other`, element by element.
/// @pre commutative and associative: system-chosen ranks say nothing about an order
struct Combine {
  std::size_t element_bytes = 1;
  std::function<void(std::span<std::byte> into, std::span<const std::byte> other)> apply;
};

namespace combining {

template <typename T, typename Operation>
Combine with(Operation operation) {
  return {sizeof(T), [operation](std::span<std::byte> into, std::span<const std::byte> other) {
            for (std::size_t at = 0; at + sizeof(T) <= into.size(); at += sizeof(T)) {
              T a{}, b{};
              std::memcpy(&a, into.data() + at, sizeof(T));
              std::memcpy(&b, other.data() + at, sizeof(T));
              a = operation(a, b);
              std::memcpy(into.data() + at, &a, sizeof(T));
            }
          }};
}

}  // namespace combining

// Sum, minimum and maximum of std::int64_t, double and so on.
template <typename T>
[[nodiscard]] Combine sum_of() {
  return combining::with<T>([](T a, T b) { return static_cast<T>(a + b); });
}
template <typename T>
[[nodiscard]] Combine minimum_of() {
  return combining::with<T>([](T a, T b) { return b < a ? b : a; });
}
template <typename T>
[[nodiscard]] Combine maximum_of() {
  return combining::with<T>([](T a, T b) { return a < b ? b : a; });
}

}  // namespace espalier::group
