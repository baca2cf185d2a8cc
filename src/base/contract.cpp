#include "base/contract.hpp"

#include <string>

namespace espalier {

void fail_contract(std::string_view what, SourceLine where) {
  throw ContractViolation(std::string(where.file) + ":" + std::to_string(where.line) + ": " +
                          std::string(what));
}

}  // namespace espalier
