#include "report/json_text.hpp"

#include "base/contract.hpp"
#include "base/json.hpp"

namespace espalier::report {
namespace {

// Names come from files in any encoding: what is not UTF-8 is replaced, never thrown over.
std::string compact(const Json& value) { return value.dump(); }

bool has_a_line_for_each(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

std::string element_lines(const Json& array) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < array.size(); ++i) {
    text += "    " + compact(array[i]) + (i + 1 < array.size() ? ",\n" : "\n");
  }
  return text + "  ]";
}

}  // namespace

std::string json_text(const Json& document) {
  expects(document.is_object(), "json_text: a document is an object");
  std::string text = "{\n";
  std::size_t left = document.size();
  for (const auto& [key, value] : document.items()) {
    text += "  " + compact(Json(key)) + ": ";
    text += has_a_line_for_each(value) ? element_lines(value) : compact(value);
    text += --left > 0 ? ",\n" : "\n";
  }
  return text + "}\n";
}

}  // namespace espalier::report
