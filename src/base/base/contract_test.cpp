#include "base/contract.hpp"

#include <gtest/gtest.h>

#include <string>

namespace espalier {
namespace {

TEST(Contract, NamesTheLineOfTheCaller) {
  const int line = __LINE__ + 2;
  try {
    expects(1 + 1 == 3, "sums are right");
    FAIL() << "a broken contract did not throw";
  } catch (const ContractViolation& violation) {
    EXPECT_EQ(violation.what(),
              std::string(__FILE__) + ":" + std::to_string(line) + ": sums are right");
  }
}

TEST(Contract, IsSilentWhileItHolds) { EXPECT_NO_THROW(expects(true, "never seen")); }

}  // namespace
}  // namespace espalier
