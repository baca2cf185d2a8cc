#include "base/float_environment.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(DefaultFloats, LeaveTheProgramsEnvironmentAsItWas) {
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  {
    const DefaultFloats floats;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
    std::feraiseexcept(FE_DIVBYZERO);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_NE(std::fetestexcept(FE_OVERFLOW), 0);
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), 0);
  std::fesetround(FE_TONEAREST);
  std::feclearexcept(FE_ALL_EXCEPT);
}

}  // namespace
}  // namespace espalier
