#pragma once

#include <source_location>
#include <stdexcept>
#include <string_view>

namespace espalier {

/// A bug in the caller: a precondition did not hold. Thrown, not aborted, since death tests and MPI
/// do not mix.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_contract(std::string_view what, const std::source_location& where);

/// @throws ContractViolation, in all builds, if `condition` does not hold
inline void expects(bool condition, std::string_view what,
                    const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]]
    fail_contract(what, where);
}

}  // namespace espalier
