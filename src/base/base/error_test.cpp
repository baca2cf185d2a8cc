#include "base/error.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/contract.hpp"

namespace espalier {
namespace {

TEST(Error, PrintsWhereWhatAndHint) {
  EXPECT_EQ(to_string(Error{"f:3", "no such thing", "look again"}),
            "f:3: error: no such thing\n  hint: look again");
  EXPECT_EQ(to_string(Error{"", "no such thing", ""}), "error: no such thing");
}

TEST(Error, DoesNotLetAFileSteerTheTerminal) {
  EXPECT_EQ(to_string(Error{"f", "name \"\x1b[2J\n\"", "\x7f"}),
            "f: error: name \"?[2J?\"\n  hint: ?");
}

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
