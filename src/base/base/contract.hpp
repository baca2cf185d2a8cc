#pragma once

#include <stdexcept>
#include <string_view>

namespace espalier {

/// A bug in the caller: a precondition did not hold. Thrown, not aborted, since death tests and MPI
/// do not mix.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A line of the source. Not std::source_location, which clang 14 (our fuzzers, clang-tidy) does
/// not have.
struct SourceLine {
  const char* file = "";
  int line = 0;
  /// As a default argument: the caller's.
  static constexpr SourceLine current(const char* file = __builtin_FILE(),
                                      int line = __builtin_LINE()) {
    return {file, line};
  }
};

[[noreturn]] void fail_contract(std::string_view what, SourceLine where);

/// @throws ContractViolation, in all builds, if `condition` does not hold
inline void expects(bool condition, std::string_view what,
                    SourceLine where = SourceLine::current()) {
  if (!condition) [[unlikely]]
    fail_contract(what, where);
}

}  // namespace espalier
