#include "base/known_formats.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(KnownFormats, SaysWhichCommandReadsAFile) {
  EXPECT_EQ(who_reads("espalier-inventory-1"),
            "it is an inventory, for espalier place --inventory");
  EXPECT_EQ(who_reads("espalier-machine-2"),
            "it is a machine, for espalier show, and for --machine of other commands");
  EXPECT_EQ(who_reads("espalier-verdict-1"),
            "it is what espalier verify --json wrote, for other programs: no command reads it");
  EXPECT_EQ(who_reads("espalier-trace-1"), "it is a trace, for espalier trace and espalier view");
  EXPECT_EQ(who_reads("espalier-trace-comparison-1"),
            "it is what espalier trace --json wrote, for other programs: no command reads it");
}

TEST(KnownFormats, SaysNothingOfOtherFormats) {
  for (const char* other : {"", "espalier-", "espalier", "espalier-lake-1", "machine-1", "-"}) {
    EXPECT_EQ(who_reads(other), "") << other;
  }
}

TEST(KnownFormats, TellsAnotherVersionFromAnotherKind) {
  EXPECT_TRUE(is_other_version("espalier-machine-9", "espalier-machine-1"));
  EXPECT_FALSE(is_other_version("espalier-machine-1", "espalier-machine-1"));
  EXPECT_FALSE(is_other_version("espalier-trace-1", "espalier-machine-1"));
}

}  // namespace
}  // namespace espalier
