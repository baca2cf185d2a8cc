#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.hpp"

namespace espalier {

/// A JSON value that knows the line it stands on, so that an error can name it.
///
/// nlohmann-json's own values forget it; this is built from its SAX events. Numbers keep their
/// text: quantities are read exactly, never through a double.
struct LocatedJson {
  enum class Kind : std::uint8_t { Null, Boolean, Number, String, Array, Object };
  Kind kind = Kind::Null;
  std::uint32_t line = 0;
  std::string text;  ///< a string (decoded), a number (as written), or "true"/"false"
  /// Object only: the key of each of `items`, in the order of the file.
  std::vector<std::string> keys;
  std::vector<LocatedJson> items;  ///< elements of an array, or values of an object

  /// The member called `key`, or nullptr. O(members).
  [[nodiscard]] const LocatedJson* find(std::string_view key) const;
};

/// "an object", "a string", ...
[[nodiscard]] std::string_view describe(LocatedJson::Kind kind);

/// @param file only named in errors
/// Refuses what is not JSON, a key that stands twice in one object, and nesting deeper than 256.
Expected<LocatedJson> parse_located_json(std::string_view text, const std::string& file);

/// Whether JSON is nested deeper than 256. Values of nlohmann-json are parsed at any depth, but
/// copying or writing them calls itself for each level, until the stack is used up.
[[nodiscard]] bool is_nested_too_deep(std::string_view json);

}  // namespace espalier
