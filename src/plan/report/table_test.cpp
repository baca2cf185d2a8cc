#include "report/table.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "base/json.hpp"

namespace espalier::report {
namespace {

Table small() {
  return {{{"name", "name"}, {"finish_ps", "finish", Align::Right}, {"ratio", "x", Align::Right}},
          {{{"fnf"}, {microseconds(400)}, {Decimal{1, 2}}},
           {{"binomial"}, {microseconds(1700)}, {Decimal{4.25, 2}}}}};
}

TEST(TableText, AlignsNumbersToTheRight) {
  EXPECT_EQ(to_text(small(), {}),
            "name      finish     x\n"
            "fnf       400 us  1.00\n"
            "binomial  1.7 ms  4.25\n");
}

TEST(TableText, LeavesOutColumnsWithoutAValue) {
  Table table = small();
  table.columns.push_back({"note", "note"});
  for (auto& row : table.rows) row.emplace_back();
  EXPECT_EQ(to_text(table, {}), to_text(small(), {}));
}

TEST(TableText, AlignsTextThatIsNotAscii) {
  const Table table{{{"", "tree"}, {"", "n"}}, {{{"└─ é"}, {"1"}}, {{"abcdef"}, {"2"}}}};
  EXPECT_EQ(to_text(table, {}), "tree    n\n└─ é    1\nabcdef  2\n");
}

TEST(TableText, ShortensColumnsThatMayShrinkUntilTheLineFits) {
  Table table{{{"", "place", Align::Left, 8}, {"", "value"}},
              {{{"a very long name of a place"}, {"1234567890"}}}};
  EXPECT_EQ(to_text(table, {.width = 24}),
            "place         value\n"
            "a very long…  1234567890\n");
  table.columns[0].shrinks_to = 0;
  EXPECT_EQ(to_text(table, {.width = 24}),
            "place                        value\n"
            "a very long name of a place  1234567890\n");
}

TEST(TableText, FoldsWhereLinesWouldBeCut) {
  Table table = small();
  table.columns.push_back({"", " "});
  table.rows[0].push_back({"<- best"});
  table.rows[1].emplace_back();
  const Canvas narrow{.width = 28, .folds = true};
  EXPECT_EQ(to_text(table, narrow),
            "name      finish\n"
            "fnf       400 us  <- best\n"
            "binomial  1.7 ms\n"
            "\n"
            "name         x\n"
            "fnf       1.00\n"
            "binomial  4.25\n");
  EXPECT_EQ(to_text(table, {.width = 31, .folds = true}), to_text(table, {.width = 31}));
  EXPECT_EQ(to_text(table, {.width = 28}), to_text(table, {.width = 31}));
  // One column beside the first is the least.
  EXPECT_EQ(to_text(small(), {.width = 5, .folds = true}),
            "name      finish\n"
            "fnf       400 us\n"
            "binomial  1.7 ms\n"
            "\n"
            "name         x\n"
            "fnf       1.00\n"
            "binomial  4.25\n");
}

TEST(TableText, KeepsEscapeCodesOutOfTheWidths) {
  Table table = small();
  table.rows[0][0] = {"fnf", Style::Good};
  const std::string plain_text = to_text(table, {.colour = false});
  std::string coloured = to_text(table, {.colour = true});
  EXPECT_NE(coloured, plain_text);
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain_text);
}

TEST(TableText, KeepsNamesOfFilesFromSteeringTheTerminal) {
  const Table table{{{"a", "link"}}, {{{"a\x1b[2J\nb"}}}};
  EXPECT_EQ(to_text(table, {}), "link\na[2Jb\n");
  EXPECT_EQ(to_csv(table), "a\n\"a\x1b[2J\nb\"\n");
}

TEST(FreeWidth, IsWhatAFurtherColumnMayTake) {
  Table table = small();
  const std::size_t room = free_width(table, {.width = 40});
  table.columns.push_back({"", "bar"});
  for (auto& row : table.rows) row.push_back({std::string(room, '#')});
  const std::string text = to_text(table, {.width = 40});
  const std::size_t first_end = text.find('\n');
  EXPECT_EQ(text.find('\n', first_end + 1) - first_end - 1, 40u) << text;
  EXPECT_EQ(free_width(small(), {.width = 5}), 0u);
}

TEST(TableCsv, WritesPicosecondsAndQuotesWhatNeedsIt) {
  Table table = small();
  table.rows[0][0] = {"a,\"b\"\nc"};
  EXPECT_EQ(to_csv(table),
            "name,finish_ps,ratio\n"
            "\"a,\"\"b\"\"\nc\",400000000,1.00\n"
            "binomial,1700000000,4.25\n");
}

TEST(TableCsv, LeavesOutColumnsForPeople) {
  const Table table{{{"", "mark"}, {"n", "n"}}, {{{"*"}, {std::int64_t{7}}}, {{}, {}}}};
  EXPECT_EQ(to_csv(table), "n\n7\n\n");
}

TEST(TableJson, KeepsKindsOrderAndNothing) {
  Table table = small();
  table.rows[1][1] = {};
  EXPECT_EQ(to_json(table).dump(), R"([{"name":"fnf","finish_ps":400000000,"ratio":1.0},)"
                                   R"({"name":"binomial","finish_ps":null,"ratio":4.25}])");
}

TEST(Table, RefusesRowsOfAnotherLength) {
  Table table = small();
  table.rows[0].pop_back();
  EXPECT_THROW((void)to_text(table, {}), ContractViolation);
  EXPECT_THROW((void)to_csv(table), ContractViolation);
  EXPECT_THROW((void)to_json(table), ContractViolation);
}

}  // namespace
}  // namespace espalier::report
