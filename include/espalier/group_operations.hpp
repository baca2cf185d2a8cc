#pragma once

// Operations of reductions on groups: the usual ones by name, and any function of two elements.

#include <cstddef>
#include <cstring>
#include <functional>

namespace espalier {

inline constexpr auto sum = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
inline constexpr auto product = [](auto a, auto b) { return static_cast<decltype(a)>(a * b); };
inline constexpr auto minimum = [](auto a, auto b) { return b < a ? b : a; };
inline constexpr auto maximum = [](auto a, auto b) { return a < b ? b : a; };
inline constexpr auto logical_and = [](auto a, auto b) { return static_cast<decltype(a)>(a && b); };
inline constexpr auto logical_or = [](auto a, auto b) { return static_cast<decltype(a)>(a || b); };
inline constexpr auto bitwise_and = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };
inline constexpr auto bitwise_or = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };
inline constexpr auto bitwise_xor = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };

/// An operation on elements whose type is forgotten: into = into (op) other, for `bytes` of them.
struct ElementOperation {
  std::size_t element_bytes = 1;
  std::function<void(std::byte* into, const std::byte* other, std::size_t bytes)> apply;
};

/// @param operation T of (T, T), commutative and associative
template <typename T, typename Operation>
[[nodiscard]] ElementOperation elementwise(Operation operation) {
  return {sizeof(T), [operation](std::byte* into, const std::byte* other, std::size_t bytes) {
            for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
              T a, b;
              std::memcpy(&a, into + at, sizeof(T));  // segments need not be aligned
              std::memcpy(&b, other + at, sizeof(T));
              a = operation(a, b);
              std::memcpy(into + at, &a, sizeof(T));
            }
          }};
}

}  // namespace espalier
