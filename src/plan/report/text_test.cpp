#include "report/text.hpp"

#include <gtest/gtest.h>

namespace espalier::report {
namespace {

TEST(Fitted, FoldsLongSentencesWhereLinesWouldBeCut) {
  const std::string text = "one two three\nfour\n\n  a command to copy\nlast one\n";
  EXPECT_EQ(fitted(text, {.width = 8, .folds = true}),
            "one two\nthree\nfour\n\n  a command to copy\nlast one\n");
  EXPECT_EQ(fitted(text, {.width = 8}), text);
  EXPECT_EQ(fitted("", {.width = 8, .folds = true}), "");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("node"), 4u);
  EXPECT_EQ(display_width("│  └─ é"), 7u);
  EXPECT_EQ(display_width("計算"), 4u);  // two columns each
}

TEST(Shortened, LeavesWhatFits) { EXPECT_EQ(shortened("└─ ab", 5), "└─ ab"); }

TEST(Shortened, CutsBetweenCodePoints) {
  EXPECT_EQ(shortened("ééééé", 3), "éé…");
  EXPECT_EQ(shortened("計算機", 4), "計…");  // half a sign is none
  EXPECT_EQ(shortened("abc", 0), "");
}

TEST(Shortened, MarksTheCutEvenWhereASpanEndsThere) {
  const Spans spans{{"abc", Style::Dim}, {"def", Style::Bold}};
  EXPECT_EQ(plain(shortened(spans, 6)), "abcdef");
  EXPECT_EQ(plain(shortened(spans, 5)), "abcd…");
  EXPECT_EQ(plain(shortened(spans, 3)), "ab…");
}

TEST(Paint, WritesNoEscapeCodeWithoutColour) {
  EXPECT_EQ(paint("x", Style::Good, {.colour = false}), "x");
  EXPECT_NE(paint("x", Style::Good, {.colour = true}).find("\x1b["), std::string::npos);
  EXPECT_EQ(paint("x", Style::Plain, {.colour = true}), "x");
}

TEST(Printable, DropsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mwan\n\x7f é"), "[31mwan é");
}

TEST(Grouped, PutsACommaBeforeEveryThirdDigit) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(131072), "131,072");
  EXPECT_EQ(grouped(16777216), "16,777,216");
}

TEST(Counted, KnowsThePlural) {
  EXPECT_EQ(counted(1, "process"), "1 process");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(0, "site"), "0 sites");
  EXPECT_EQ(plural("switch"), "switches");
  EXPECT_EQ(plural("box"), "boxes");
}

TEST(Wrapped, FillsLinesWithoutCuttingWords) {
  EXPECT_EQ(wrapped("a bb ccc dddd", 8, "  "), "  a bb\n  ccc\n  dddd\n");
  EXPECT_EQ(wrapped("unbreakable", 4), "unbreakable\n");
  EXPECT_EQ(wrapped("  spaces \n and lines ", 80), "spaces and lines\n");
  EXPECT_EQ(wrapped("", 80), "");
}

TEST(RankRanges, JoinsNeighbours) {
  EXPECT_EQ(rank_ranges({}), "");
  EXPECT_EQ(rank_ranges({7}), "7");
  EXPECT_EQ(rank_ranges({0, 1, 2, 8}), "0-2,8");
}

TEST(RankRanges, NamesTheStepOfACyclicPlacement) {
  EXPECT_EQ(rank_ranges({1, 9, 17, 25}), "1-25 step 8");
  EXPECT_EQ(rank_ranges({1, 9}), "1,9");
}

TEST(RankRanges, StopsAfterSoManyPieces) {
  EXPECT_EQ(rank_ranges({0, 2, 3, 7, 9, 20}, 3), "0,2-3,7,…");
  EXPECT_EQ(rank_ranges({0, 2, 3, 7}, 3), "0,2-3,7");
}

}  // namespace

}  // namespace espalier::report
