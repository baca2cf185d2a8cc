#pragma once

#include <cstdint>
#include <string_view>

namespace espalier {

/// FNV-1a (G. Fowler, L. Noll, P. Vo): the same in every process and on every computer; not safe
/// against malice.
class TextHash {
 public:
  constexpr TextHash& add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    return *this;
  }
  constexpr TextHash& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3ULL;
    return *this;
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) {
  return TextHash{}.add(text).value();
}
// Published value; what this gives may not change, since caches are named by it.
static_assert(hash_of("a") == 0xaf63dc4c8601ec8cULL);

}  // namespace espalier
