#include "reproduce/on_lab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "reproduce/banikazemi_lab.hpp"
#include "reproduce/karonis_lab.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::reproduce {
namespace {

/// Stands for a lab: every stack takes twice as long as the one after it.
Expected<measure::Bench> pretend(const LabRequest& request) {
  measure::Bench bench{request.calls, {}, request.stacks, {}, measure::Clocks::Shared};
  bench.bounds.assign(request.calls.size(), milliseconds(1));
  double us = 1000;
  for (std::size_t s = 0; s < request.stacks.size(); ++s) us *= 2;
  for (std::size_t s = 0; s < request.stacks.size(); ++s, us /= 2) {
    std::vector<measure::MeasuredTimes> all;
    for (const measure::MeasuredCall& call : request.calls) {
      all.push_back({call, 0, us, {us}, measure::summarize({us})});
    }
    bench.measured.push_back(all);
  }
  return bench;
}

bool says(const Exhibit& exhibit, const std::string& words) {
  return std::any_of(exhibit.notes.begin(), exhibit.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TEST(KaronisOnLab, SaysHowManyRanksAndWhoWins) {
  LabStudyOptions options;
  options.cores = 2;
  const auto exhibits = karonis_on_lab(options, pretend);
  ASSERT_TRUE(exhibits) << exhibits.error();
  ASSERT_EQ(exhibits->size(), 3U);
  EXPECT_EQ(exhibits->at(0).key, "figure7");
  EXPECT_EQ(exhibits->at(1).key, "figure8");
  EXPECT_EQ(exhibits->at(2).key, "figure9");
  EXPECT_EQ(exhibits->at(2).table.columns.size(), 8U);  // two of sizes, a bound, five curves
  EXPECT_EQ(exhibits->at(2).table.rows.size(), 11U);    // 1 KiB to 1 MiB
  EXPECT_TRUE(says(exhibits->at(0), "24 ranks")) << exhibits->at(0).notes[0];
  EXPECT_TRUE(says(exhibits->at(0), "2 cores bear no more"));
  EXPECT_TRUE(says(exhibits->at(2), "the lowest of them at 11 of 11 sizes"));
  EXPECT_NE(exhibits->at(2).svg.find("<svg"), std::string::npos);
}

TEST(KaronisOnLab, TakesThePapersRanksWhereCoresBearThem) {
  EXPECT_EQ(processes_a_machine(1), 4U);
  EXPECT_EQ(processes_a_machine(2), 8U);
  EXPECT_EQ(processes_a_machine(4), 16U);
  EXPECT_EQ(processes_a_machine(64), 16U);
}

TEST(KaronisOnLab, HandsOnWhatWentWrong) {
  const auto failing = [](const LabRequest&) -> Expected<measure::Bench> {
    return Error{"lab", "no root", ""};
  };
  EXPECT_FALSE(karonis_on_lab({}, failing));
  EXPECT_FALSE(banikazemi_on_lab({}, failing));
}

TEST(BanikazemiOnLab, ComparesWithTheMpiItself) {
  LabStudyOptions options;
  options.quick = true;
  const auto exhibits = banikazemi_on_lab(options, pretend);
  ASSERT_TRUE(exhibits) << exhibits.error();
  EXPECT_EQ(exhibits->at(0).table.rows.size(), 24U);  // 2 kinds x 3 x 2 sources x 2 sizes
  EXPECT_TRUE(says(exhibits->at(0), "up to 2.0 (SPOC) and 4.0 (FNF)"));
}

TEST(BanikazemiOnLab, WrongResultsAreCalledSo) {
  LabStudyOptions options;
  options.quick = true;
  const auto wrong = [](const LabRequest& request) {
    auto bench = pretend(request);
    for (auto& measured : bench->measured.back()) measured.wrong = 1;
    return bench;
  };
  const auto exhibits = banikazemi_on_lab(options, wrong);
  EXPECT_EQ(exhibits->at(0).table.rows[0][4].raw(), "WRONG");
}

TEST(BanikazemiOnLabProperty, PlacementsHoldWhatTheFigureSays) {
  for_all_seeds(200, [](Random& rng) {
    const Rank fast = std::array<Rank, 3>{2, 4, 8}[rng.below(3)];
    const Placement placement = random_placement(rng.next(), fast);
    const std::set<Rank> fast_ones(placement.fast.begin(), placement.fast.end());
    const std::set<Rank> members(placement.members.begin(), placement.members.end());
    ASSERT_EQ(fast_ones.size(), fast);
    ASSERT_EQ(members.size(), 8U);
    ASSERT_EQ(std::count_if(members.begin(), members.end(),
                            [&](Rank r) { return fast_ones.count(r) > 0; }),
              fast / 2);
    ASSERT_TRUE(members.count(placement.fast_source) > 0 &&
                fast_ones.count(placement.fast_source) > 0);
    ASSERT_TRUE(members.count(placement.random_source) > 0);
    const topology::Machine machine = lab_testbed(placement.fast);
    for (Rank r = 0; r < machine.size(); ++r) {
      ASSERT_EQ(machine.costs(r).send.fixed, microseconds(fast_ones.count(r) > 0 ? 690 : 1480));
    }
  });
}

}  // namespace
}  // namespace espalier::reproduce
