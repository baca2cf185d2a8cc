#include "base/error.hpp"

#include <ostream>
#include <string>

#include "base/contract.hpp"

#pragma GCC visibility push(default)  // public: include/espalier has links to the headers
namespace espalier {
namespace {

/// What comes from a file must not steer the terminal it is printed on.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return text;
}

}  // namespace

std::string to_string(const Error& error) {
  std::string text = error.where.empty() ? "" : printable(error.where) + ": ";
  text += "error: " + printable(error.what);
  if (!error.hint.empty()) text += "\n  hint: " + printable(error.hint);
  return text;
}

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << to_string(error); }

void fail_contract(std::string_view what, SourceLine where) {
  throw ContractViolation(std::string(where.file) + ":" + std::to_string(where.line) + ": " +
                          std::string(what));
}

}  // namespace espalier
#pragma GCC visibility pop
