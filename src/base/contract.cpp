#include "base/contract.hpp"

#include <string>

namespace espalier {

void fail_contract(std::string_view what, const std::source_location& where) {
  throw ContractViolation(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                          ": " + std::string(what));
}

}  // namespace espalier
