#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Utf8, AcceptsEveryLengthOfSequence) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\u00e9\u20ac\U0001F600"));
}

TEST(Utf8, RefusesStrayOverlongAndCutOffBytes) {
  for (const char* text : {"\x80", "\xff", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xe2\x82",
                           "\xf4\x90\x80\x80", "a\xc3"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace espalier
