#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace espalier::report {

/// A document that people can read and tools can diff: one line a key, and one line an element of
/// each array of objects, so that 131,072 ranks are as many lines. Ends with a newline.
/// @pre document is an object
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& document);

}  // namespace espalier::report
