#pragma once

#include <iosfwd>
#include <string>

namespace espalier {

/// Something wrong in the outside world: a file, an argument, a variable.
///
/// `where` is "file:line" or the argument's name; `what` says what was found and what was expected;
/// `hint` says what to do about it (may be empty).
struct Error {
  std::string where;
  std::string what;
  std::string hint;

  friend bool operator==(const Error&, const Error&) = default;
};

/// "where: error: what", and the hint on a line of its own; control characters become "?".
[[nodiscard]] std::string to_string(const Error& error);
std::ostream& operator<<(std::ostream& out, const Error& error);

}  // namespace espalier
