#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace espalier::view {

/// JSON in one line. Bytes that are no UTF-8, as names of files may have, become U+FFFD.
[[nodiscard]] inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace espalier::view
