#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collective/multilevel.hpp"
#include "schedule/collective.hpp"

namespace espalier::collective {

// What names of plans are made of.

[[nodiscard]] const char* name_of(Shape shape);
/// "16 KiB" of a segment in units of the call.
[[nodiscard]] std::string segment_text(std::uint64_t segment, const schedule::Collective& call);
/// "binomial 16 KiB", or "binomial" if nothing is cut.
[[nodiscard]] std::string with_segment(std::string name, std::uint64_t segment,
                                       const schedule::Collective& call);

/// Reads a name from its beginning; every take_*() leaves the rest.
class NameReader {
 public:
  /// @pre text and call outlive it
  NameReader(std::string_view text, const schedule::Collective& call) : text_(text), call_(call) {}

  [[nodiscard]] const schedule::Collective& call() const { return call_; }
  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] bool at(char next) const { return text_.starts_with(next); }
  bool take(std::string_view word);
  std::optional<std::uint32_t> take_number();
  std::optional<Shape> take_shape();
  /// " 16 KiB" in units of the call; 0 if there is none, or if no message is longer.
  std::optional<std::uint64_t> take_segment();
  /// One of a few values, by what a function calls them.
  template <typename Value, typename NameOf>
  std::optional<Value> take_one_of(std::initializer_list<Value> values, NameOf name_of_value) {
    for (const Value value : values) {
      if (take(name_of_value(value))) return value;
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
  const schedule::Collective& call_;
};

}  // namespace espalier::collective
