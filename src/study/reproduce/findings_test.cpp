// Every sentence is computed from figures: contrary figures must give the other sentence.
#include "reproduce/findings.hpp"

#include <gtest/gtest.h>

#include "reproduce/figures_of.hpp"
#include "reproduce/findings_expect.hpp"

namespace espalier::reproduce {
namespace {

const std::vector<std::string> kFigure9{"size_bytes",     "mpich_ms",      "magpie_machine_ms",
                                        "magpie_site_ms", "multilevel_ms", "chosen_ms"};

TEST(FindingsOfBanikazemi, MulticastsFarBehindFnfAreCounted) {
  const std::vector<std::string> keys{"native_us", "fnf_us", "multicast_us", "multicast_over_fnf"};
  const Findings near = banikazemi_multicast_findings(
      made(keys, {{4000, 2000, 2100, 1.05}, {4000, 2000, 1800, 0.9}}));
  expect_says(near, "0.90 to 1.05 times as long");
  expect_says(near, "in every row it is within 10 %");
  const Findings far =
      banikazemi_multicast_findings(made(keys, {{4000, 2000, 2600, 1.3}, {4000, 2000, 2000, 1}}));
  expect_says(far, "within 10 % in 1 of 2 rows");
  expect_silent(far, "every row");
}

TEST(FindingsOfKaronis, TiesAndLossesOfMultilevelAreNamed) {
  const Findings tied =
      karonis_findings(made(kFigure9, {{1024, 70, 30, 31, 31, 29}, {4096, 70, 40, 32, 32, 31}}));
  expect_says(tied, "below all others of the paper at 0 of 2 sizes");
  expect_says(tied, "the same time to every digit at 2 of 2 sizes");
  expect_says(tied, "Two-level by machine is ahead of multilevel at 1 sizes (1024");
  expect_says(tied, "below all other curves at 2 of 2 sizes");
  const Findings ahead = karonis_findings(made(kFigure9, {{1024, 70, 40, 60, 30, 33}}));
  expect_says(ahead, "below all others of the paper at 1 of 1 sizes");
  expect_says(ahead, "multilevel is ahead at 1, by up to 50.0 %");
  expect_silent(ahead, "Two-level by machine is ahead");
  expect_says(ahead, "behind the lowest by up to 10.0 %");
}

TEST(FindingsOfKaronis, TheBarrierOfFigure6MayHideTheGain) {
  const std::vector<std::string> keys{"barrier_percent", "factor", "turn_factor"};
  expect_says(karonis_turn_findings(made(keys, {{66, 1.5, 1.2}, {20, 1.9, 1.6}})),
              "seems up to 1.60 times as fast as the binomial tree; the broadcasts alone are up to "
              "1.90");
  expect_says(karonis_turn_findings(made(keys, {{1, 1.5, 1.5}})), "hides next to nothing");
}

TEST(FindingsOfKaronis, TheLanDecidesWhatTheThirdLevelGains) {
  const std::vector<std::string> keys{"latency", "bandwidth", "magpie_site_ms", "multilevel_ms"};
  expect_says(karonis_lan_findings(made(keys, {{"2ms", "10Mbit/s", 200, 107}})),
              "2ms and 10Mbit/s: 107 against 200 ms");
  expect_says(karonis_lan_findings(made(keys, {{"2ms", "10Mbit/s", 107, 200}})),
              "No LAN of the table shows a gain");
}

TEST(FindingsOfLanger, FollowWhatSmpiRan) {
  const std::vector<std::string> keys{"centralized_us",        "centralized_simulated_us",
                                      "shrink_and_balance_us", "shrink_and_balance_simulated_us",
                                      "rank_and_hash_us",      "rank_and_hash_simulated_us"};
  expect_says(langer_smpi_findings(made(keys, {{90, 90, 50, 50, 60, 60}})),
              "ahead of Rank-and-Hash in 1 of 1 cells, Centralized is the fastest in 0");
  expect_says(langer_smpi_findings(made(keys, {{40, 50, 70, 50, 60, 60}})),
              "at most 40 % from it, and says the same of the two distributed schemes in 0 of 1");
  const std::vector<std::string> split{"colours", "rank_and_hash_us", "ratio"};
  expect_says(
      langer_smpi_split_findings(made(split, {{1, 100, 2}, {8, 111, 0.5}})),
      "ahead of SMPI's MPI_Comm_split in 1 of 2 rows. From 1 to 8 colours its time changes by "
      "+11.0 %");
}

TEST(FindingsOfBanikazemi, FollowTheGaps) {
  const std::vector<std::string> keys{"participants", "fnf_us", "gap_percent", "paper_fnf_us"};
  const auto gaps = [&](double small, double large) {
    return banikazemi_table2_findings(made(keys, {{9, 100, small, 99}, {32, 100, large, ""}}));
  };
  expect_says(gaps(0.7, 1.6), "ends with the paper's table");
  expect_says(gaps(0.7, 0.8), "holds for larger groups too");
  expect_says(gaps(1.7, 1.8), "not even at the paper's sizes");
}

TEST(FindingsOfBanikazemi, FollowTheFactors) {
  const std::vector<std::string> keys{"figure", "best_spoc_factor", "best_fnf_factor"};
  expect_says(banikazemi_testbed_findings(made(keys, {{4, 1.7, 1.9}, {5, 1.7, 1.9}})),
              "effects that the model does not have");
  expect_says(banikazemi_testbed_findings(made(keys, {{4, 1.7, 2.4}, {5, 1.7, 2.6}})),
              "as much as was measured");
  const std::vector<std::string> study{"speed_factor", "percent_fast", "size_bytes",
                                       "source",       "spoc_factor",  "fnf_factor"};
  expect_says(banikazemi_study_findings(
                  made(study, {{4, 25, 1024, "fast", 2, 3}, {4, 25, 1024, "random", 1, 2}})),
              "a random one gains less");
  expect_says(banikazemi_study_findings(
                  made(study, {{4, 25, 1024, "fast", 2, 3}, {4, 25, 1024, "random", 1, 4}})),
              "a random one gains no less");
}

TEST(FindingsOfBanikazemi, FollowWhatSharingAdds) {
  const std::vector<std::string> keys{"size_bytes", "default_added_percent", "spoc_added_percent",
                                      "fnf_added_percent"};
  expect_says(banikazemi_contention_findings(made(keys, {{1024, 0.1, 0, 0}, {262144, 40, 9, 9}})),
              "seldom meet. With longer messages it adds up to 40 %");
  expect_says(banikazemi_contention_findings(made(keys, {{1024, 9, 0, 0}, {262144, 40, 9, 9}})),
              "too short by so much");
}

TEST(FindingsOfBanikazemi, FollowWhatTheLabMeasured) {
  const std::vector<std::string> keys{"default_us", "spoc_us", "fnf_us", "joint_us"};
  expect_says(banikazemi_multiple_lab_findings(made(keys, {{200, 150, 100, 90}})),
              "the fastest in every row");
  expect_says(
      banikazemi_multiple_lab_findings(made(keys, {{200, 150, 100, 90}, {200, 150, 100, 120}})),
      "in 1 of 2 rows, and up to 20 % behind");
  const std::vector<std::string> both{"ack_us", "shared_us"};
  expect_says(banikazemi_ack_findings(made(both, {{95, 100}, {105, 100}})), "the same by both");
  expect_says(banikazemi_ack_findings(made(both, {{70, 100}, {105, 100}})), "least of its");
}

TEST(FindingsOfBanikazemi, FollowTheSources) {
  const std::vector<std::string> keys{"percent_fast", "sources",    "fnf_us",
                                      "joint_us",     "fnf_factor", "fnf_factor_sorted"};
  const auto of = [&](double few, double many) {
    return banikazemi_multiple_findings(
        made(keys, {{50, 4, 10, 9, few, 2.4}, {50, 64, 10, 11, many, 2}}));
  };
  expect_says(of(2, 0.9), "falls from 2.00 with 4 sources to 0.90");
  expect_says(of(2, 0.9), "loses in 1 of 2 rows");
  expect_says(of(2, 0.9), "slower than separate FNF trees in 1 of 2 rows");
  expect_says(of(1, 2), "grows from 1.00");
  expect_silent(of(1, 2), "lean on the same fast nodes");
}

TEST(FindingsOfDichev, GiveNoCauseForWhatTheLabOnlyCounted) {
  const std::vector<std::string> keys{"placement", "linear_ms",        "binomial_ms",
                                      "traeff_ms", "minimum-first_ms", "maximum-first_ms",
                                      "native_ms", "chosen_ms",        "model-traeff_ms"};
  const Findings ahead = dichev_lab_findings(made(keys, {{"block", 1, 2, 2, 1.5, 3, 4, 2, 2}}));
  expect_says(ahead, "fastest of the six in 1 of 1 rows");
  expect_says(ahead, "ahead of the MPI itself in 1");
  expect_says(ahead, "minimum-first takes up to 25 % less time");
  expect_silent(ahead, "limits");
  const Findings behind = dichev_lab_findings(made(keys, {{"block", 9, 2, 2, 3, 3, 1, 2, 3}}));
  expect_says(behind, "fastest of the six in 0 of 1 rows");
  expect_says(behind, "ahead of the MPI itself in 0");
  expect_says(behind, "minimum-first takes at least 50 % more time");
}

TEST(FindingsOfDichev, FollowTheGains) {
  const std::vector<std::string> keys{"lengths", "linear_ms", "ours_ms",
                                      "maximum_first_gain_percent", "traeff_gain_percent"};
  expect_says(
      dichev_switch_findings(made(keys, {{"cpu-speed", 2, 1, 3, 0}, {"giant", 2, 1, 30, 1}})),
      "up to 30 % less with larger ratios: as in the paper");
  expect_says(
      dichev_switch_findings(made(keys, {{"cpu-speed", 2, 3, 3, 0}, {"giant", 2, 1, 9, 1}})),
      "less than the paper's 25 %");
  const std::vector<std::string> grid{"placement", "network", "minimum_first_gain_percent",
                                      "traeff_gain_percent"};
  const Findings block = dichev_grid_findings(made(grid, {{"block", "10ms,cap=1", -3, 50}}));
  expect_says(block, "nothing to speak of for minimum-first");
  expect_says(block, "in 1 of 1 rows, 1 of them with capped flows");
  expect_silent(dichev_grid_findings(made(grid, {{"block", "10ms", 30, 50}})), "nothing to speak");
}

TEST(FindingsOfLanger, SayWhoIsFaster) {
  const std::vector<std::string> keys{"fraction", "centralized_ms", "shrink_and_balance_ms",
                                      "rank_and_hash_ms"};
  const Findings against = langer_time_findings(made(keys, {{0.6, 9, 2, 3}, {0.9, 9, 2, 3}}));
  expect_says(against, "faster here in 2 of 2 cells, from f = 0.6 on");
  const Findings with = langer_time_findings(made(keys, {{0.6, 9, 4, 3}}));
  expect_says(with, "So it is here, in every cell");
  expect_says(langer_time_findings(made(keys, {{0.6, 3, 4, 3}})),
              "as fast as one of them in 1 of 1 cells");
}

TEST(FindingsOfLanger, TheRiseWithColoursIsAbsentOrThere) {
  const std::vector<std::string> keys{
      "colours",          "paper_split_ms", "split_ms", "paper_rank_and_hash_ms",
      "rank_and_hash_ms", "best_ratio",     "ratio",    "peak_bytes"};
  const auto of = [&](double hashed, double split, double bytes) {
    return langer_split_findings(made(keys, {{1, 135, 135, 0.7, 0.7, 66, 188, 400},
                                             {8, 94, split, 0.777, hashed, 7, 130, bytes}}));
  };
  expect_says(of(0.702, 94, 440), "the rise is absent");
  expect_says(of(0.77, 94, 440), "the rise is there");
  expect_says(of(0.702, 94, 440), "within 0.0 % of the paper's times.");
  expect_says(of(0.702, 47, 440), "within 50.0 % of the paper's times: it does not fit them");
  expect_says(of(0.702, 94, 800), "With 8 times as many colours one process holds up to 2 times");
  expect_silent(of(0.702, 94, 800), "this is an allgather too");
  expect_says(of(0.702, 94, 440'000), "up to 1100 times as many bytes: with as many");
  expect_says(of(0.702, 94, 440), "has a fitted time on either side");
}

TEST(FindingsOfLanger, CountsAndCausesFollowTheFigures) {
  const std::vector<std::string> counts{"fraction", "shrink_and_balance_ratio",
                                        "rank_and_hash_ratio", "moves"};
  expect_says(langer_count_findings(made(counts, {{0.6, 1, 2, 5}, {0.7, 1, 2, 0}, {0.9, 3, 2, 0}})),
              "at 2 of 3 fractions (the paper: far fewer). From f = 0.7");
  expect_says(langer_count_findings(made(counts, {{0.6, 1, 2, 0}, {0.9, 1, 2, 1}})),
              "Vertices move at the highest");
  const std::vector<std::string> causes{"variant", "faster", "cells"};
  expect_says(langer_cause_findings(made(causes, {{"as fitted", 20, 30}, {"dear words", 3, 30}})),
              "towards the paper most: dear words (3 cells left)");
  expect_says(langer_cause_findings(made(causes, {{"as fitted", 20, 30}, {"dear words", 25, 30}})),
              "the cause is not among them");
  EXPECT_NE(langer_formula_finding(131'072, 78'643, 16'700, 17'200, 280'000).find("paper's 2.6e5"),
            std::string::npos);
  EXPECT_NE(
      langer_formula_finding(131'072, 78'643, 90'000, 17'200, 280'000).find("where the paper"),
      std::string::npos);
  const std::vector<std::string> load{"groups", "a_ms", "b_ms"};
  expect_says(langer_fastest_findings(made(load, {{1, 1, 2}, {16, 4, 3}}), "groups"),
              "a_ms at 1.000, b_ms at 16.000");
}

TEST(FindingsOfLanger, WhatWasWrongIsNotTheFastest) {
  const std::vector<std::string> load{"groups", "a_ms", "b_ms"};
  expect_says(langer_fastest_findings(made(load, {{1, "WRONG", 2}, {16, 4, "WRONG"}}), "groups"),
              "b_ms at 1.000, a_ms at 16.000");
  const std::vector<std::string> keys{"made_by", "time_us"};
  expect_says(langer_made_findings(
                  made(keys, {{"centralized", "WRONG"}, {"comm_split", 20}, {"create_group", 10}})),
              "The fastest is create_group.");
}

TEST(FindingsOfPark, FollowTheGains) {
  const std::vector<std::string> keys{"program", "none_over_full", "paper_none_over_full"};
  const Findings far = park_program_findings(made(keys, {{"lu.W", 9.7, 2.0}, {"ep.W", 1, 1}}));
  expect_says(far, "lu.W 9.7 (the paper: 2.0)");
  expect_says(far, "lu.W gains 4.8 times what the paper states");
  expect_says(far, "hardly computes");
  expect_says(park_program_findings(made(keys, {{"lu.W", 2.1, 2.0}})), "within a factor of 1.5");
  const Findings little = park_program_findings(made(keys, {{"lu.W", 1.0, 2.0}}));
  expect_says(little, "lu.W gains 0.5 times what the paper states");
  expect_silent(little, "hardly computes");
  expect_silent(park_program_findings(made(keys, {{"mg.W", 9.0, 1.8}})), "hardly computes");
  const std::vector<std::string> classes{"program", "none_over_full", "paper_none_over_full"};
  const Findings shrink = park_class_findings(made(classes, {{"lu.S", 8, ""}, {"lu.C", 2, 2.0}}));
  expect_says(shrink, "they grow for none and shrink for lu (8.0 to 2.0)");
  expect_says(shrink, "Fitted, not predicted");
  expect_says(shrink, "so the fit worked");
  const Findings grow = park_class_findings(made(classes, {{"lu.S", 2, ""}, {"lu.C", 8, 2.0}}));
  expect_says(grow, "they grow for lu (2.0 to 8.0) and shrink for none");
  expect_says(grow, "300 % above what the paper states, so the fit did not work");
  const std::vector<std::string> steps{"result"};
  expect_says(park_example_findings(made(steps, {{"C > A > B (not used)"}, {"C: 5 6 9 10"}})),
              "the first is so, and B is not used");
  expect_says(park_example_findings(made(steps, {{"C: 1 2 3 4"}})),
              "the first is not so, and B is used");
}

TEST(FindingsOfPark, TheLabsSentencesFollowTheIntervals) {
  const std::vector<std::string> keys{"program", "none_s",    "none_95_s",
                                      "full_s",  "full_95_s", "ours_s"};
  expect_says(park_lab_findings(made(keys, {{"lu.W", 4, 0.1, 2, 0.1, 1}})),
              "2.0 times as fast as no policy; ours takes 0.50");
  expect_says(park_lab_findings(made(keys, {{"lu.W", 2, 0.1, 4, 0.1, 8}})),
              "2.0 times as slow as no policy; ours takes 2.00");
  expect_says(park_lab_findings(made(keys, {{"is.W", 4, 3, 2, 3, 2}})),
              "as fast as no policy, within the intervals");
}

TEST(FindingsOfPark, TheRangeOverWhatIsPinnedIsTheTables) {
  const std::vector<std::string> keys{"lu_none_over_full", "lu_sorted_over_full"};
  expect_says(park_sensitivity_findings(made(keys, {{1.5, 1.1}, {9.7, 3}})),
              "1.5 to 9.7 over no policy and 1.1 to 3.0 over the sorted list");
}

TEST(FiguresOf, ReadsNumbersAndLeavesOutEmptyCells) {
  const report::Table table = made({"a", "b"}, {{1.5, "x"}, {"none", "y"}});
  const FiguresOf figures(table);
  EXPECT_EQ(figures.numbers("a"), std::vector<double>{1.5});
  EXPECT_EQ(figures.text(1, "b"), "y");
  EXPECT_FALSE(figures.has("c"));
}

}  // namespace
}  // namespace espalier::reproduce
