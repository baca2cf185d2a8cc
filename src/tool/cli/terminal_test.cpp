#include "cli/terminal.hpp"

#include <gtest/gtest.h>

namespace espalier::cli {
namespace {

Surroundings terminal() {
  return {
      .is_terminal = true, .terminal_width = 132, .no_color = {}, .term = "xterm", .columns = {}};
}

bool colours(const std::string& option, const Surroundings& around) {
  return choose_canvas({option, ""}, around)->colour;
}

TEST(ChooseCanvas, ColoursOnlyATerminal) {
  EXPECT_TRUE(colours("", terminal()));
  EXPECT_TRUE(colours("auto", terminal()));
  EXPECT_FALSE(colours("", {}));
  EXPECT_TRUE(colours("always", {}));
  EXPECT_FALSE(colours("never", terminal()));
}

TEST(ChooseCanvas, HonoursNoColorUnlessItIsEmpty) {
  Surroundings around = terminal();
  around.no_color = "1";
  EXPECT_FALSE(colours("auto", around));
  EXPECT_TRUE(colours("always", around));
  around.no_color = "";
  EXPECT_TRUE(colours("auto", around));
}

TEST(ChooseCanvas, FoldsOnTerminalsOnly) {
  EXPECT_TRUE(choose_canvas({}, terminal())->folds);
  EXPECT_TRUE(choose_canvas({"", "60"}, terminal())->folds);
  EXPECT_FALSE(choose_canvas({"", "60"}, {})->folds);
}

TEST(ChooseCanvas, HonoursDumbTerminals) {
  Surroundings around = terminal();
  around.term = "dumb";
  EXPECT_FALSE(colours("auto", around));
  around.term = std::nullopt;
  EXPECT_FALSE(colours("auto", around));
}

TEST(ChooseCanvas, TakesTheWidthFromTheNearestWhoKnowsIt) {
  EXPECT_EQ(choose_canvas({"", "80"}, terminal())->width, 80u);
  EXPECT_EQ(choose_canvas({}, terminal())->width, 132u);
  EXPECT_EQ(choose_canvas({}, {})->width, 100u);
  Surroundings piped;
  piped.columns = "72";
  EXPECT_EQ(choose_canvas({}, piped)->width, 72u);
  piped.columns = "many";
  EXPECT_EQ(choose_canvas({}, piped)->width, 100u);
}

TEST(ChooseCanvas, RefusesOtherWords) {
  EXPECT_EQ(choose_canvas({"sometimes", ""}, {}).error().where, "--color");
  for (const char* width : {"0", "39", "1001", "8x", "-80", "99999999999999999999"}) {
    EXPECT_EQ(choose_canvas({"", width}, {}).error().where, "--width") << width;
  }
}

}  // namespace
}  // namespace espalier::cli
