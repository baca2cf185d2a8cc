#include "base/error.hpp"

#include <ostream>

namespace espalier {

std::string to_string(const Error& error) {
  std::string text = error.where.empty() ? "" : error.where + ": ";
  text += "error: " + error.what;
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << to_string(error); }

}  // namespace espalier
