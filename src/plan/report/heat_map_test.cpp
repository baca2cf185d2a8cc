#include "report/heat_map.hpp"

#include <gtest/gtest.h>

namespace espalier::report {
namespace {

TEST(HeatMap, ShowsTheHeaviestCellAsAFullBlockAndNothingAsADot) {
  const HeatMap map{"traffic", "", 2, {{0, 1, 1000}, {1, 0, 1}}};
  const std::string text = heat_text(map, {});
  EXPECT_NE(text.find("0 ··██"), std::string::npos) << text;
  EXPECT_NE(text.find("1 ░░··"), std::string::npos) << text;
}

TEST(HeatMap, HasAKeyToItsBlocks) {
  const HeatMap map{"traffic",
                    "",
                    3,
                    {{0, 0, 1000}, {0, 1, 330}, {0, 2, 320}, {1, 0, 80}, {1, 1, 70}, {1, 2, 9}}};
  const std::string text = heat_text(map, {});
  EXPECT_NE(text.find("0 ████▓▓"), std::string::npos) << text;
  EXPECT_NE(text.find("1 ▓▓▒▒░░"), std::string::npos) << text;
  EXPECT_NE(text.find("2 ······"), std::string::npos) << text;
  EXPECT_TRUE(
      text.ends_with("· nothing; of the greatest value ░ below 1 %, ▒ below 8 %, ▓ below "
                     "33 %, █ more\n"))
      << text;
}

TEST(HeatMap, FoldsALargeMapIntoTheCanvas) {
  HeatMap map{"traffic", "", 1000, {}};
  for (std::uint32_t i = 0; i < 1000; ++i) map.cells.push_back({i, (i + 1) % 1000, 5});
  const std::string text = heat_text(map, {.colour = false, .width = 80});
  EXPECT_NE(text.find("each block is 16 x 16 processes"), std::string::npos) << text;
  EXPECT_NE(text.find("992-999"), std::string::npos) << text;
}

TEST(HeatMap, EscapesItsTitleInThePage) {
  const HeatMap map{"<script>", "", 1, {}};
  EXPECT_EQ(heat_html(map).find("<script>"), std::string::npos);
  EXPECT_NE(heat_svg(map).find("&lt;script&gt;"), std::string::npos);
}

}  // namespace
}  // namespace espalier::report
