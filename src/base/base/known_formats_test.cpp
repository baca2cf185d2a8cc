#include "base/known_formats.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

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

TEST(KnownFormats, KnowsEveryFormatThatIsDocumented) {
  std::ifstream page(ESPALIER_SOURCE_DIR "/docs/formats.md");
  const std::string heading = "## ";
  std::size_t formats = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(heading + "espalier-")) continue;
    ++formats;
    EXPECT_NE(who_reads(line.substr(heading.size())), "") << line;
  }
  EXPECT_GT(formats, 15U);
}

TEST(KnownFormats, DoesNotSayOfWhatIsReadThatNobodyReadsIt) {
  EXPECT_EQ(who_reads("espalier-reproduce-1"),
            "it is what espalier reproduce wrote, for espalier reproduce all --measured, if it was "
            "measured");
  EXPECT_EQ(who_reads("espalier-verdicts-2"),
            "it is a file of decisions of trials, for the library (ESPALIER_VERDICTS)");
  EXPECT_EQ(who_reads("espalier-discovery-1"),
            "it is a machine as the library keeps it, for the library; espalier discover -o FILE "
            "writes one for commands");
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
