#include "base/contract.hpp"

#include <string>

#pragma GCC visibility push(default)  // public: include/espalier has links to the headers
namespace espalier {

void fail_contract(std::string_view what, SourceLine where) {
  throw ContractViolation(std::string(where.file) + ":" + std::to_string(where.line) + ": " +
                          std::string(what));
}

}  // namespace espalier
#pragma GCC visibility pop
