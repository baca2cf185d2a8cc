#include "reproduce/on_lab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "reproduce/banikazemi_lab.hpp"
#include "reproduce/banikazemi_lab_trees.hpp"
#include "reproduce/dichev_lab.hpp"
#include "reproduce/karonis_lab.hpp"
#include "reproduce/langer_lab.hpp"
#include "reproduce/park_lab.hpp"
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

/// The other way round: every stack takes half as long as the one after it.
Expected<measure::Bench> pretend_contrary(const LabRequest& request) {
  auto bench = pretend(request);
  std::reverse(bench->measured.begin(), bench->measured.end());
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
  EXPECT_EQ(exhibits->at(2).table.columns.size(), 10U);  // two of sizes, a bound, seven curves
  EXPECT_EQ(exhibits->at(2).table.rows.size(), 5U);      // 1 KiB to 256 KiB
  EXPECT_TRUE(says(exhibits->at(0), "12 ranks")) << exhibits->at(0).notes[0];
  EXPECT_TRUE(says(exhibits->at(0), "2 cores bear no more"));
  EXPECT_TRUE(says(exhibits->at(2), "the lowest of them at 5 of 5 sizes"));
  EXPECT_NE(exhibits->at(2).svg.find("<svg"), std::string::npos);
}

TEST(KaronisOnLab, TakesThePapersRanksWhereCoresBearThem) {
  EXPECT_EQ(processes_a_machine(1), 4U);
  EXPECT_EQ(processes_a_machine(2), 4U);
  EXPECT_EQ(processes_a_machine(4), 8U);
  EXPECT_EQ(processes_a_machine(8), 16U);
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
  EXPECT_EQ(exhibits->at(0).table.rows.size(), 26U);  // 2 kinds x 3 x 2 sources x 2 sizes, 4 nodes
  EXPECT_EQ(exhibits->at(0).table.rows[0][0].raw(), "4");
  ASSERT_EQ(exhibits->size(), 2U);
  EXPECT_EQ(exhibits->at(1).table.rows.size(), 8U);  // 2 sizes x 4 stacks
  EXPECT_TRUE(says(exhibits->at(1), "the same by both"));
  EXPECT_TRUE(says(exhibits->at(0), "up to 2.0 (SPOC) and 4.0 (FNF)"));
}

TEST(KaronisOnLab, TellsPipeliningFromTopology) {
  LabStudyOptions options;
  options.cores = 2;
  options.parts = {"figure8"};
  const auto exhibits = karonis_on_lab(options, pretend);
  ASSERT_TRUE(exhibits) << exhibits.error();
  // Every stack takes twice as long as the next: native, blind, segments, multilevel, chosen.
  EXPECT_TRUE(says(exhibits->at(0), "itself takes 2.00 times")) << exhibits->at(0).notes[2];
  EXPECT_TRUE(says(exhibits->at(0), "pipelining without topology is a factor of 2.00"));
  EXPECT_TRUE(says(exhibits->at(0), "topology without pipelining 4.00"));
}

TEST(KaronisOnLab, ContraryFiguresGiveTheOtherSentences) {
  LabStudyOptions options;
  options.cores = 2;
  const auto exhibits = karonis_on_lab(options, pretend_contrary);
  ASSERT_TRUE(exhibits) << exhibits.error();
  for (const Exhibit& exhibit : *exhibits) {
    EXPECT_TRUE(says(exhibit, "the lowest of them at 0 of 5 sizes")) << exhibit.notes[1];
    EXPECT_TRUE(says(exhibit, "below all of them at 0."));
    EXPECT_TRUE(says(exhibit, "itself takes 0.50 times")) << exhibit.notes[2];
    EXPECT_EQ(says(exhibit, "between the sites"), exhibit.key != "figure8") << exhibit.notes[0];
  }
  const auto wrong = [](const LabRequest& request) {
    auto bench = pretend(request);
    for (auto& measured : bench->measured.front()) measured.wrong = 1;
    return bench;
  };
  EXPECT_TRUE(says(karonis_on_lab(options, wrong)->at(0), "topology cannot be told"));
}

TEST(KaronisOnLab, OneRoundDecidesNothing) {
  LabStudyOptions options;
  options.quick = true;
  const auto quick = karonis_on_lab(options, pretend);
  ASSERT_TRUE(quick) << quick.error();
  options.quick = false;
  options.cores = 8;
  const auto many_ranks = karonis_on_lab(options, pretend);
  ASSERT_TRUE(many_ranks) << many_ranks.error();
  for (const auto* exhibits : {&*quick, &*many_ranks}) {
    for (const Exhibit& exhibit : *exhibits) {
      EXPECT_TRUE(says(exhibit, "One round decides nothing")) << exhibit.notes[2];
      EXPECT_FALSE(says(exhibit, "is a factor of")) << exhibit.notes[2];
    }
  }
}

TEST(KaronisOnLab, SaysBeforehandWhatMayTakeLong) {
  LabStudyOptions options;
  options.cores = 2;
  EXPECT_EQ(karonis_lab_takes_long(options), "");
  options.cores = 8;
  EXPECT_NE(karonis_lab_takes_long(options).find("48 ranks"), std::string::npos);
  std::vector<int> repeats;
  const auto asked = [&](const LabRequest& request) {
    repeats.push_back(request.repeats);
    return pretend(request);
  };
  ASSERT_TRUE(karonis_on_lab(options, asked));
  options.processes = 4;
  EXPECT_EQ(karonis_lab_takes_long(options), "");
  ASSERT_TRUE(karonis_on_lab(options, asked));
  EXPECT_EQ(repeats, (std::vector<int>{1, 1, 2, 2}));
}

TEST(BanikazemiOnLab, ContraryFiguresGiveTheOtherSentences) {
  LabStudyOptions options;
  options.quick = true;
  const auto exhibits = banikazemi_on_lab(options, pretend_contrary);
  ASSERT_TRUE(exhibits) << exhibits.error();
  EXPECT_TRUE(says(exhibits->at(0), "Here: broadcast up to 0.5 (SPOC)"))
      << exhibits->at(0).notes[2];
  const auto multicasts = banikazemi_multicasts_on_lab(options, pretend_contrary);
  ASSERT_TRUE(multicasts) << multicasts.error();
  EXPECT_TRUE(says(*multicasts, "within 10 % in 0 of 12 rows")) << multicasts->notes.back();
}

TEST(DichevOnLab, ContraryFiguresGiveTheOtherSentences) {
  LabStudyOptions options;
  options.quick = true;
  const auto exhibits = dichev_on_lab(options, pretend_contrary);
  ASSERT_TRUE(exhibits) << exhibits.error();
  EXPECT_TRUE(says(exhibits->at(1), "minimum-first takes at least 100 % more time"));
  EXPECT_TRUE(says(exhibits->at(1), "fastest of the six in 8 of 8 rows."));
  EXPECT_TRUE(says(exhibits->at(1), "ahead of the MPI itself in 0."));
}

TEST(DichevOnLab, MeasuresUnequalLengthsUnderAllTreesInBothPlacements) {
  LabStudyOptions options;
  options.quick = true;
  std::vector<LabRequest> asked;
  const auto exhibits = dichev_on_lab(options, [&](const LabRequest& request) {
    asked.push_back(request);
    return pretend(request);
  });
  ASSERT_TRUE(exhibits) << exhibits.error();
  ASSERT_EQ(exhibits->size(), 2U);
  ASSERT_EQ(asked.size(), 3U);                       // the switch, and two placements of the grid
  EXPECT_EQ(asked[0].stacks.size(), 8U);             // the MPI, six trees, the choice
  EXPECT_EQ(exhibits->at(1).table.rows.size(), 8U);  // 2 placements x 2 lengths x 2 operations
  EXPECT_NE(asked[1].machine.leaf_of(1), asked[2].machine.leaf_of(1));
  for (const measure::MeasuredCall& call : asked[0].calls) {
    ASSERT_EQ(call.counts.size(), 14U);
    EXPECT_TRUE(call.kind.irregular);
    EXPECT_NE(*std::min_element(call.counts.begin(), call.counts.end()),
              *std::max_element(call.counts.begin(), call.counts.end()));
  }
  // By CPU speed a host has its length wherever its rank comes from.
  for (const std::size_t call : {0U, 1U}) {
    const std::vector<std::uint64_t>& in_blocks = asked[1].calls[call].counts;
    const std::vector<std::uint64_t>& in_turn = asked[2].calls[call].counts;
    ASSERT_EQ(in_turn.size(), 24U);
    for (Rank r = 0; r < 24; ++r) {
      EXPECT_EQ(in_turn[r], in_blocks[asked[2].machine.leaf_of(r)]) << "rank " << r;
    }
  }
  // Every stack takes twice as long as the next, so each tree half as long as the one before.
  EXPECT_TRUE(says(exhibits->at(1), "minimum-first takes up to 50 % less time"));
  EXPECT_TRUE(says(exhibits->at(1), "fastest of the six in 0 of 8 rows."));
}

TEST(LangerOnLab, ReadsWhatTheProgramPrintsAndRefusesOtherLines) {
  LabStudyOptions options;
  std::string printed =
      "a line of the launcher\nmade comm_split 500.0 0\nmade create_group 400.0 0\n"
      "made rank-and-hash 450.0 0\nmade centralized 300.0 1\ncalled barrier 0 communicator 90 0\n"
      "called barrier 0 group 80 0\ncalled barrier 0 group-along-topology 70 0\n";
  const auto run = [&](const LabRunRequest&) {
    return Expected<std::vector<std::string>>(std::vector<std::string>{printed});
  };
  const auto exhibits = langer_on_lab(options, run);
  ASSERT_TRUE(exhibits) << exhibits.error();
  EXPECT_EQ(exhibits->at(0).table.rows.size(), 4U);
  EXPECT_EQ(exhibits->at(0).table.rows[3][1].raw(), "WRONG");
  EXPECT_TRUE(says(exhibits->at(0), "1 are ahead of MPI_Comm_split, and 0"));
  EXPECT_TRUE(says(exhibits->at(1), "in 1 of 1 calls, groups along the topology in 1"));
  printed += "made nonsense\n";
  EXPECT_FALSE(langer_on_lab(options, run));
}

TEST(ParkOnLab, PlacesByEachPolicyAndKeepsTheIntervals) {
  LabStudyOptions options;
  options.quick = true;
  std::vector<LabRunRequest> asked;
  const auto run = [&](const LabRunRequest& request) {
    asked.push_back(request);
    // No policy takes 4 and 5 s, sorted 3 and 4, full 2 and 3, ours 1 and 2.
    const auto turn = (asked.size() - 1) % 8;  // once in this order, once in the other
    const auto policy = turn < 4 ? turn : 7 - turn;
    return Expected<std::vector<std::string>>(std::vector<std::string>(
        request.programs.size(),
        "lu.W on 16: " + std::to_string(4 - policy + turn / 4) + ".0 s, 0 wrong\n"));
  };
  const auto exhibits = park_on_lab(options, run);
  ASSERT_TRUE(exhibits) << exhibits.error();
  ASSERT_EQ(asked.size(), 48U);  // four programs, then two on unequal hosts; four policies twice
  ASSERT_EQ(exhibits->size(), 2U);
  EXPECT_EQ(exhibits->at(1).key, "table1");
  EXPECT_EQ(exhibits->at(1).table.rows.size(), 2U);
  EXPECT_EQ(asked[0].programs[0].arguments[2].substr(0, 8), "200,200,");
  EXPECT_EQ(asked[40].programs[0].arguments[2].substr(0, 8), "100,100,");  // as listed: A first
  EXPECT_EQ(asked[0].machine.size(), 20U);
  EXPECT_EQ(asked[0].programs.size(), 1U);
  EXPECT_EQ(asked[0].programs[0].ranks, 16U);
  EXPECT_NE(asked[0].machine.leaf_of(5), asked[2].machine.leaf_of(5));
  EXPECT_EQ(asked[3].machine.leaf_of(5), asked[4].machine.leaf_of(5));
  EXPECT_EQ(exhibits->at(0).table.rows[0][1].raw(), "4.500");
  EXPECT_EQ(exhibits->at(0).table.rows[0][2].raw(), "6.353");  // 12.706 x 0.5
  EXPECT_TRUE(says(exhibits->at(0), "as fast as no policy, within the intervals"));
  const auto wrong = [](const LabRunRequest& request) {
    return Expected<std::vector<std::string>>(
        std::vector<std::string>(request.programs.size(), "lu.W on 16: 1.0 s, 3 wrong\n"));
  };
  EXPECT_FALSE(park_on_lab(options, wrong));
}

TEST(BanikazemiOnLab, RunsMulticastsAtOnceAndRoundTrips) {
  LabStudyOptions options;
  options.quick = true;
  std::vector<LabRunRequest> asked;
  const auto run = [&](const LabRunRequest& request) {
    asked.push_back(request);
    const std::string trees =
        "trees default 400.0 0\ntrees spoc 300.0 0\ntrees fnf 200.0 0\ntrees joint 100.0 0\n";
    std::string pairs;
    for (int a = 0; a < 8; ++a) {
      for (int b = a + 1; b < 8; ++b)
        pairs += "pair " + std::to_string(a) + " " + std::to_string(b) + " 1000.0\n";
    }
    return Expected<std::vector<std::string>>(
        std::vector<std::string>(request.programs.size(), trees + pairs));
  };
  const auto multiple = banikazemi_multiple_on_lab(options, run);
  ASSERT_TRUE(multiple) << multiple.error();
  EXPECT_EQ(multiple->table.rows.size(), 4U);  // 2 shares of fast hosts x 2 numbers of sources
  EXPECT_TRUE(says(*multiple, "trees built together up to 4.0"));
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].programs[0].arguments.size(), 7U);
  const auto trips = banikazemi_round_trips_on_lab(options, run);
  ASSERT_TRUE(trips) << trips.error();
  EXPECT_EQ(trips->table.rows.size(), 10U);
  EXPECT_TRUE(says(*trips, "No limit of round trips")) << trips->notes.back();
  EXPECT_EQ(asked.back().machine.size(), 8U);
  const auto nothing = [](const LabRunRequest& request) {
    return Expected<std::vector<std::string>>(
        std::vector<std::string>(request.programs.size(), "segmentation fault\n"));
  };
  EXPECT_FALSE(banikazemi_multiple_on_lab(options, nothing));
  EXPECT_FALSE(banikazemi_round_trips_on_lab(options, nothing));
}

TEST(BanikazemiOnLab, MulticastsStandBesideTheBroadcastThatIsHeldToFnf) {
  LabStudyOptions options;
  options.quick = true;
  std::vector<LabRequest> asked;
  const auto exhibit = banikazemi_multicasts_on_lab(options, [&](const LabRequest& request) {
    asked.push_back(request);
    return pretend(request);
  });
  ASSERT_TRUE(exhibit) << exhibit.error();
  ASSERT_EQ(asked.size(), 3U);                 // 2, 4 and 8 fast hosts
  EXPECT_EQ(exhibit->table.rows.size(), 12U);  // each with 2 sources x 2 sizes
  EXPECT_FALSE(asked[0].calls[0].is_multicast);
  EXPECT_TRUE(asked[0].calls[1].is_multicast);
  EXPECT_EQ(asked[0].calls[1].members.size(), 8U);
  // Every stack takes twice as long as the next: native, FNF, the choice.
  EXPECT_EQ(exhibit->table.rows[0][7].raw(), "0.500");
  EXPECT_TRUE(says(*exhibit, "in every row it is within 10 %")) << exhibit->notes.back();
  const auto failing = [](const LabRequest&) -> Expected<measure::Bench> {
    return Error{"lab", "no root", ""};
  };
  EXPECT_FALSE(banikazemi_multicasts_on_lab(options, failing));
}

TEST(BanikazemiOnLab, TreesAreWrittenEdgeByEdge) {
  tree::CommTree tree(6, 2);
  tree.append_child(2, 5);
  tree.append_child(2, 0);
  tree.append_child(5, 1);
  EXPECT_EQ(text_of(tree), "2>5,2>0,5>1");
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
  EXPECT_EQ(exhibits->at(0).table.rows[0][8].raw(), "WRONG");
  EXPECT_TRUE(says(exhibits->at(0), "have no right figure"));
  EXPECT_TRUE(exhibits->at(0).svg.empty());
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
    ASSERT_EQ(placement.four.size(), fast == 8 ? 4U : 0U);
    for (const Rank r : placement.four) ASSERT_TRUE(members.count(r) > 0);
    const topology::Machine machine = lab_testbed(placement.fast);
    for (Rank r = 0; r < machine.size(); ++r) {
      ASSERT_EQ(machine.costs(r).send.fixed, microseconds(fast_ones.count(r) > 0 ? 690 : 1480));
    }
  });
}

}  // namespace
}  // namespace espalier::reproduce
