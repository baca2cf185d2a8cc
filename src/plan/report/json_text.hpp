#pragma once

#include <string>

#include "base/json.hpp"

namespace espalier::report {

/// A document that people can read and tools can diff: one line a key, and one line an element of
/// each array of objects, so that 131,072 ranks are as many lines. Ends with a newline.
/// @pre document is an object
[[nodiscard]] std::string json_text(const Json& document);

}  // namespace espalier::report
