// More sentences, each with the figures that give it and with those that give the other one.
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/figures_of.hpp"
#include "reproduce/findings_expect.hpp"

namespace espalier::reproduce {
namespace {

TEST(FindingsOfLanger, CallsOfGroupsMayWinOrLose) {
  const std::vector<std::string> keys{"call", "communicator_us", "group_us", "along_us"};
  const Findings ahead = langer_call_findings(made(keys, {{"barrier", 90, 80, 70}}));
  expect_says(ahead, "on a communicator in 1 of 1 calls, groups along the topology in 1.");
  expect_says(ahead, "faster than not following it in 1.");
  const Findings behind = langer_call_findings(made(keys, {{"barrier", 70, 80, 90}}));
  expect_says(behind, "on a communicator in 0 of 1 calls, groups along the topology in 0.");
  expect_says(behind, "faster than not following it in 0.");
  const Findings wrong = langer_call_findings(made(keys, {{"barrier", 90, "WRONG", "WRONG"}}));
  expect_says(wrong, "in 0 of 1 calls, groups along the topology in 0.");
}

TEST(FindingsOfLanger, SchemesMayBeAheadOfTheMpiOrBehind) {
  const std::vector<std::string> keys{"made_by", "time_us"};
  const auto of = [&](double scheme) {
    return langer_made_findings(made(keys, {{"along-topology", 1},
                                            {"comm_split", 20},
                                            {"create_group", 10},
                                            {"centralized", scheme}}));
  };
  // A second pass over a group is no way to make one, however fast.
  expect_says(of(5),
              "The fastest is centralized. Of 1 schemes 1 are ahead of MPI_Comm_split, and 1");
  expect_says(of(15),
              "The fastest is create_group. Of 1 schemes 1 are ahead of MPI_Comm_split, and "
              "0");
  expect_says(of(50), "The fastest is create_group. Of 1 schemes 0 are ahead");
}

TEST(FindingsOfLanger, SmpiMayTurnTheOrderAround) {
  const std::vector<std::string> keys{"centralized_us",        "centralized_simulated_us",
                                      "shrink_and_balance_us", "shrink_and_balance_simulated_us",
                                      "rank_and_hash_us",      "rank_and_hash_simulated_us"};
  const Findings central = langer_smpi_findings(made(keys, {{40, 40, 70, 70, 60, 60}}));
  expect_says(central, "in 0 of 1 cells, Centralized is the fastest in 1.");
  expect_says(central,
              "at most 0 % from it, and says the same of the two distributed schemes in 1");
  const std::vector<std::string> split{"colours", "rank_and_hash_us", "ratio"};
  expect_says(langer_smpi_split_findings(made(split, {{1, 100, 0.5}, {8, 90, 0.4}})),
              "in 0 of 2 rows. From 1 to 8 colours its time changes by -10.0 %");
  // What computed wrongly wins nothing.
  const Findings wrong = langer_smpi_split_findings(made(split, {{1, 100, 2}, {8, "WRONG", ""}}));
  expect_says(wrong, "in 1 of 2 rows");
  expect_silent(wrong, "its time changes");
}

TEST(FindingsOfKaronis, CountsSayWhoSendsTheFewestMessages) {
  const std::vector<std::string> keys{"figure", "tree", "network", "messages"};
  const auto of = [&](double site_wide, double site_local) {
    return karonis_count_findings(made(keys, {{"9", "two-level, site", "WAN", site_wide},
                                              {"9", "two-level, site", "LAN", site_local},
                                              {"9", "multilevel", "WAN", 1},
                                              {"9", "multilevel", "LAN", 1},
                                              {"8", "multilevel", "LAN", 0.5}}));
  };
  expect_says(of(1, 2),
              "multilevel sends 1.00 messages over the wide area and 1.00 over the local "
              "one; no other tree sends fewer");
  expect_says(of(2, 0.5), "no other tree sends fewer");
  expect_says(of(1, 0.5), "fewer are sent by two-level, site");
  expect_says(of(0.5, 2), "fewer are sent by two-level, site");
}

TEST(FindingsOfDichev, PlansAndTraeffsTreeMayWinOrLose) {
  const std::vector<std::string> keys{"lengths", "linear_ms", "ours_ms",
                                      "maximum_first_gain_percent", "traeff_gain_percent"};
  const Findings lost =
      dichev_switch_findings(made(keys, {{"cpu-speed", 2, 3, 3, -4}, {"giant", 2, 1, 9, 1}}));
  expect_says(lost, "Here it takes -4 to 1 % less");
  expect_says(lost, "slower than the linear tree in 1 of 2 rows");
  const Findings won =
      dichev_switch_findings(made(keys, {{"cpu-speed", 2, 1, 3, 5}, {"giant", 2, 1, 9, 7}}));
  expect_says(won, "Here it takes 5 to 7 % less");
  expect_says(won, "slower than the linear tree in 0 of 2 rows");
}

TEST(FindingsOfDichev, CausesAreGivenForGainsThatAreThere) {
  const std::vector<std::string> keys{"placement", "network", "minimum_first_gain_percent",
                                      "traeff_gain_percent"};
  const Findings as_seen =
      dichev_grid_findings(made(keys, {{"block", "10ms", -3, 50}, {"cyclic", "10ms", 60, 49}}));
  expect_says(as_seen, "Minimum-first gains in cyclic placement only");
  expect_says(as_seen, "Traeff tree gains however ranks lie");
  expect_says(as_seen, "ours: 60 and 50 %");
  expect_says(as_seen, "in 1 of 2 rows, 0 of them with capped flows");
  const Findings contrary =
      dichev_grid_findings(made(keys, {{"block", "10ms", 40, 0}, {"cyclic", "10ms", 60, 49}}));
  expect_silent(contrary, "placement only");
  expect_silent(contrary, "however ranks lie");
  const Findings nothing = dichev_grid_findings(made(keys, {{"block", "10ms", 1, 2}}));
  expect_silent(nothing, "placement only");
  expect_says(nothing, "ours: 1 and 2 %");
}

TEST(FindingsOfDichev, WhatWasWrongIsNotTheFastest) {
  const std::vector<std::string> keys{"placement", "linear_ms",        "binomial_ms",
                                      "traeff_ms", "minimum-first_ms", "maximum-first_ms",
                                      "native_ms", "chosen_ms",        "model-traeff_ms"};
  const Findings found =
      dichev_lab_findings(made(keys, {{"block", "WRONG", 2, 2, 1.5, 3, 4, 2, "WRONG"}}));
  expect_says(found, "fastest of the six in 0 of 1 rows");
  expect_says(found, "some tree has no right result, so no gains are told");
}

TEST(FindingsOfBanikazemi, RoundTripsMayOrMayNotTellTheClusters) {
  const std::vector<std::string> keys{"a",       "b",       "round_trip_us", "paper_round_trip_us",
                                      "link_us", "clusters"};
  const auto of = [&](double slow_pair, double slow_link) {
    return banikazemi_round_trip_findings(
        made(keys, {{"Sun4", "Sun4", slow_pair, 4196, slow_link, 0},
                    {"HP735", "HP715/64", 2491, 2491, 900, 1}}));
  };
  const Findings as_seen = of(4196, 0);
  expect_says(as_seen, "The farthest round trip is 0.0 % from the paper's.");
  expect_says(
      as_seen,
      "No limit of round trips tells the clusters: Sun4 and Sun4 of one cluster are 4196 us "
      "apart, HP735 and HP715/64 of two 2491 us.");
  expect_says(as_seen, "every pair of one cluster is nearer");
  const Findings raw_only = of(2098, 950);
  expect_says(raw_only, "50.0 % from the paper's.");
  expect_says(raw_only,
              "Round trips alone tell the clusters here. Without the nodes' own costs they "
              "do not appear.");
  expect_says(of(4196, 950), "they do not appear either.");
  expect_says(of(2098, 0),
              "Round trips alone tell the clusters here. Without the nodes' own costs "
              "every pair");
}

TEST(FindingsOfBanikazemi, WhatWasWrongIsCounted) {
  const Findings together = banikazemi_multiple_lab_findings(
      made({"default_us", "spoc_us", "fnf_us", "joint_us"}, {{200, 150, 100, "WRONG"}}));
  expect_says(together, "the fastest in 0 of 1 rows");
  expect_says(together, "Of these rows 1 have no right result");
  // The fastest of those that are right is what counts.
  expect_says(banikazemi_multiple_lab_findings(made({"default_us", "spoc_us", "fnf_us", "joint_us"},
                                                    {{200, "WRONG", 100, 150}})),
              "in 0 of 1 rows, and up to 50 % behind");
  expect_says(banikazemi_multicast_findings(
                  made({"native_us", "fnf_us", "multicast_us", "multicast_over_fnf"},
                       {{4000, 2000, "WRONG", "WRONG"}})),
              "No row has right results of both.");
  expect_says(banikazemi_ack_findings(made({"ack_us", "shared_us"}, {{"WRONG", 100}})),
              "No row has right results by both.");
}

TEST(FindingsOfBanikazemi, FnfOverTreesByNumberIsNearThePapersFactorOrNot) {
  const std::vector<std::string> keys{"percent_fast", "sources",    "fnf_us",
                                      "joint_us",     "fnf_factor", "fnf_factor_sorted"};
  const auto of = [&](double sorted) {
    return banikazemi_multiple_findings(made(keys, {{50, 4, 10, 9, 1.5, sorted}}));
  };
  expect_says(of(2.4), "gains up to 2.4 (near the paper's 2.4)");
  expect_says(of(2), "gains up to 2.0 (below the paper's 2.4)");
  expect_says(of(3), "gains up to 3.0 (above the paper's 2.4)");
}

TEST(FindingsOfPark, BurdenAndBytesMayPutOthersFirst) {
  const std::vector<double> burden{1, 5, 6, 1, 7, 8, 1};
  EXPECT_NE(park_burden_finding(burden, burden)
                .find("It puts 1, 2, 4, 5 first; by bytes alone they "
                      "would be the same."),
            std::string::npos)
      << park_burden_finding(burden, burden);
  EXPECT_NE(park_burden_finding(burden, {9, 9, 9, 9, 1, 1, 1})
                .find("by bytes alone 0, 1, 2, 3 would "
                      "come first."),
            std::string::npos);
}

TEST(FindingsOfPark, TheRangeMayLieOnEitherSideOfThePapers) {
  const std::vector<std::string> keys{"lu_none_over_full", "lu_sorted_over_full"};
  expect_says(park_sensitivity_findings(made(keys, {{0.5, 0.6}, {0.9, 0.8}})),
              "0.5 to 0.9 over no policy and 0.6 to 0.8 over the sorted list");
}

TEST(FiguresOf, TheLargestAndTheSmallestLeaveOutWhatIsNoNumber) {
  const double none = std::nan("");
  EXPECT_EQ(largest_of({none, 1, 3, none, 2}), 3);
  EXPECT_EQ(smallest_of({none, 2, 1, none}), 1);
  EXPECT_TRUE(std::isnan(largest_of({none})));
  EXPECT_TRUE(std::isnan(smallest_of({})));
}

}  // namespace
}  // namespace espalier::reproduce
