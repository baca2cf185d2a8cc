#include "reproduce/park.hpp"

#include <gtest/gtest.h>

#include "place/load_inventory.hpp"

namespace espalier::reproduce {
namespace {

TEST(Park, ThePinnedMachineIsThatOfTheDataFile) {
  const auto file =
      place::load_inventory(std::string(ESPALIER_SOURCE_DIR) + "/data/park2004/inventory.json");
  ASSERT_TRUE(file.has_value()) << file.error();
  const map::Inventory pinned = park_inventory();
  EXPECT_EQ(file->machine, pinned.machine);
  EXPECT_EQ(file->hosts, pinned.hosts);
}

TEST(Park, TheWorkedExampleHasSixSteps) {
  const Paper paper = park();
  const Exhibit exhibit = paper.parts[0].run({});
  ASSERT_EQ(exhibit.table.rows.size(), 6U);
  EXPECT_NE(exhibit.table.rows[1][1].raw().find("C > A > E > D > B (not used)"), std::string::npos);
  EXPECT_NE(exhibit.table.rows[5][1].raw().find("C: 5 6 9 10"), std::string::npos);
  EXPECT_NE(exhibit.notes[0].find("It puts 5, 6, 9, 10 first"), std::string::npos)
      << exhibit.notes[0];
}

}  // namespace
}  // namespace espalier::reproduce
