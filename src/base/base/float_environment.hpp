#pragma once

#include <cfenv>

namespace espalier {

/// Keeps the default floating-point environment for its lifetime. What ranks must decide alike then
/// does not depend on the rounding mode that a program has set, on some ranks perhaps. The program
/// finds its environment as it was: rounding mode, traps, exceptions raised so far.
class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&before_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace espalier
