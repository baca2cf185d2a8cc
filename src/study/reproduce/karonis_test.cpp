#include <gtest/gtest.h>

#include "reproduce/paper.hpp"
#include "support/long_run.hpp"

namespace espalier::reproduce {
namespace {

double cell(const Exhibit& exhibit, std::size_t row, const std::string& key) {
  for (std::size_t c = 0; c < exhibit.table.columns.size(); ++c) {
    if (exhibit.table.columns[c].key == key) return std::stod(exhibit.table.rows[row][c].raw());
  }
  ADD_FAILURE() << "no column " << key;
  return 0;
}

/// Sizes from 1 KiB to 1 MiB: every second power of two where it is short.
PaperOptions some_sizes() {
  PaperOptions options;
  options.size_step = is_long_run() ? 1 : 2;
  return options;
}

TEST(Karonis, MultilevelBeatsTheBinomialTreeAtEverySize) {
  for (const PaperPart& part : karonis().parts) {
    if (part.key == "lan" || part.key == "figure6") continue;
    if (part.key != "figure8" && !is_long_run()) continue;  // they take ten seconds each
    const Exhibit exhibit = part.run(some_sizes());
    for (std::size_t row = 0; row < exhibit.table.rows.size(); ++row) {
      EXPECT_LT(cell(exhibit, row, "multilevel_ms"), cell(exhibit, row, "mpich_ms")) << part.key;
      EXPECT_GE(cell(exhibit, row, "pipelined_ms"), cell(exhibit, row, "bound_ms")) << part.key;
    }
  }
}

TEST(Karonis, TheBarrierOfFigure6CrossesTheWanTwice) {
  const Exhibit exhibit = karonis().parts[0].run({});
  for (std::size_t row = 0; row < exhibit.table.rows.size(); ++row) {
    for (const std::string curve : {"mpich", "multilevel"}) {
      const double barrier =
          cell(exhibit, row, curve + "_turn_ms") - cell(exhibit, row, curve + "_ms");
      EXPECT_GT(barrier, 25) << row;  // ranks that are done early wait, so less than two crossings
      EXPECT_LT(barrier, 70) << row;
    }
    EXPECT_LT(cell(exhibit, row, "turn_factor"), cell(exhibit, row, "factor"));
  }
}

// In one test, since the exhibit takes seconds.
TEST(
    Karonis,
    TheChosenPlanIsWithinTwoPerCentOfTheLowestCurveAndPipeliningStaysWithinFifteenPerCentOfTheBound) {
  const Exhibit exhibit = karonis().parts[3].run(some_sizes());
  for (std::size_t row = 0; row < exhibit.table.rows.size(); ++row) {
    for (const char* other :
         {"mpich_ms", "magpie_machine_ms", "magpie_site_ms", "multilevel_ms", "pipelined_ms"}) {
      EXPECT_LE(cell(exhibit, row, "chosen_ms"), 1.02 * cell(exhibit, row, other))
          << other << " in row " << row;
    }
    EXPECT_LT(cell(exhibit, row, "chosen_ms"), 1.15 * cell(exhibit, row, "bound_ms"));
    EXPECT_LT(cell(exhibit, row, "pipelined_ms"), 1.15 * cell(exhibit, row, "bound_ms"));
  }
}

}  // namespace
}  // namespace espalier::reproduce
