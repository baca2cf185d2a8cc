#include "base/error.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace espalier
