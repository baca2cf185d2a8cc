#include "collective/participants.hpp"

#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::collective {
namespace {

std::vector<Rank> listed(const Participants& participants) {
  std::vector<Rank> ranks;
  for (Rank p = 0; p < participants.size(); ++p) ranks.push_back(participants[p]);
  return ranks;
}

TEST(Participants, RunsAndListsAnswerAlike) {
  const auto machine = *topology::parse_synthetic("node:2(1us) proc:3(1us) placement=cyclic");
  const Participants runs[]{all_participants(6, 4), along_machine(machine, 4)};
  for (const Participants& run : runs) {
    const Participants list{listed(run), run.me};
    EXPECT_EQ(run[run.me], 4U);
    EXPECT_EQ(run.at(-1), list.at(-1));
    EXPECT_EQ(run.at(7), list.at(7));
    for (Rank first = 0; first < 6; ++first) {
      EXPECT_EQ(listed(rotated(run, first)), listed(rotated(list, first)));
      EXPECT_EQ(rotated(run, first).me, rotated(list, first).me);
      EXPECT_EQ(listed(rotated(rotated(run, first), 2)), listed(rotated(rotated(list, first), 2)));
    }
    EXPECT_EQ(listed(without_first(run)), listed(without_first(list)));
    EXPECT_EQ(without_first(run)[without_first(run).me], 4U);
  }
}

TEST(Participants, TheFirstCannotLeaveItselfOut) {
  EXPECT_THROW((void)without_first(all_participants(3, 0)), ContractViolation);
}

}  // namespace
}  // namespace espalier::collective
