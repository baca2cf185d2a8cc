#include "tuning/decide.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "topology/readers.hpp"
#include "tuning/formats.hpp"
#include "tuning/mpich.hpp"
#include "tuning/write_open_mpi.hpp"

namespace espalier::tuning {
namespace {

topology::Machine machine_of(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  return *std::move(machine);
}

topology::Machine three_sites() {
  return machine_of("site:3(10ms,100Mbit/s) proc:4(1us,10Gbit/s)");
}

const SizeRule& row_of(const ScopeRules& scope, Operation operation, std::uint64_t bytes) {
  for (const OperationRules& rules : scope.operations) {
    if (rules.operation != operation) continue;
    for (const SizeRule& row : rules.rows) {
      if (row.bytes == bytes) return row;
    }
  }
  throw std::out_of_range("no such row");
}

/// Rules that stand in for those of a library.
MpichRules small_library() {
  MpichRules rules;
  rules.collectives = R"({"collective=bcast":{"comm_type=intra":{
    "comm_size<8":{"algorithm=MPIR_Bcast_intra_binomial":{}},
    "comm_size=any":{"avg_msg_size<=12288":{"algorithm=MPIR_Bcast_intra_binomial":{}},
      "avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}}}},
   "collective=ibcast":{"comm_type=intra":{"algorithm=MPIR_Ibcast_intra_sched_binomial":{}}},
   "collective=gatherv":{"algorithm=MPIR_Gatherv_allcomm_linear":{}}})";
  rules.compositions = R"({"collective=bcast":{"comm_type=intra":{
    "comm_hierarchy=parent":{"avg_msg_size<12288":{"composition=MPIDI_Bcast_intra_composition_alpha":{}},
      "avg_msg_size=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}},
    "comm_hierarchy=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}}})";
  rules.algorithms = {"MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_scatter_ring_allgather",
                      "MPIR_Bcast_allcomm_nb", "MPIR_Ibcast_intra_tsp_tree"};
  return rules;
}

TEST(Decide, LongBroadcastsOverFarLinksAreCutOnOpenMpi) {
  const Tuning tuning = decide_open_mpi(three_sites(), {true, {Operation::Broadcast}});
  const SizeRule& rule = row_of(tuning.scopes.front(), Operation::Broadcast, 524288);
  ASSERT_NE(rule.choice.algorithm, nullptr);
  EXPECT_GT(rule.choice.segment, 0u);
  EXPECT_LT(3 * rule.tuned, 2 * rule.native);
}

TEST(Decide, OperatorsThatDoNotCommuteAreSafeUnlessPromised) {
  for (const bool ordered : {true, false}) {
    const Tuning tuning =
        decide_open_mpi(three_sites(), {ordered, {Operation::Reduce, Operation::Allreduce}});
    bool breaks_order = false;
    for (const ScopeRules& scope : tuning.scopes) {
      for (const OperationRules& rules : scope.operations) {
        for (const SizeRule& row : rules.rows) {
          breaks_order |= row.choice.algorithm != nullptr && !row.choice.algorithm->keeps_order;
        }
      }
    }
    EXPECT_EQ(breaks_order, !ordered);
  }
}

TEST(Decide, NothingIsSlowerThanWhatTheLibraryTakes) {
  const TuningRules rules{false, {Operation::Broadcast, Operation::Barrier, Operation::Allgather}};
  for (const ScopeRules& scope : decide_open_mpi(three_sites(), rules).scopes) {
    for (const OperationRules& operation : scope.operations) {
      for (const SizeRule& row : operation.rows) EXPECT_LE(row.tuned, row.native);
    }
  }
}

TEST(Decide, HostsWithAsManyRanksAsThereAreHostsLoseByRulesOfSizes) {
  const auto square = machine_of("site:4(10ms,100Mbit/s) proc:4(1us,10Gbit/s)");
  EXPECT_FALSE(decide_open_mpi(square, {true, {Operation::Broadcast}}).host_losses.empty());
  EXPECT_TRUE(decide_open_mpi(three_sites(), {true, {Operation::Broadcast}}).host_losses.empty());
}

TEST(Decide, RulesOfGatherAndScatterDoNotDependOnTheSize) {
  // The root of a gather in place and the other ranks of a scatter know no size.
  for (const char* line : {"node:16(50us,1Gbit/s) proc:1", "node:4(50us,1Gbit/s) proc:1",
                           "site:3(10ms,100Mbit/s) proc:4(1us,10Gbit/s)"}) {
    const Tuning tuning =
        decide_open_mpi(machine_of(line), {true, {Operation::Gather, Operation::Scatter}});
    for (const ScopeRules& scope : tuning.scopes) {
      for (const OperationRules& rules : scope.operations) {
        for (const SizeRule& row : rules.rows) {
          EXPECT_EQ(row.choice, rules.rows.front().choice) << line << ", " << row.bytes << " bytes";
          EXPECT_TRUE(!rules.is_left_out || row.tuned == row.native);
        }
      }
    }
  }
}

TEST(MakeExport, SaysWhichOperationsAreLeftOut) {
  ExportRequest request;
  request.rules.operations = {Operation::Gather};
  const auto made = make_export(machine_of("node:16(50us,1Gbit/s) proc:1"), request);
  ASSERT_TRUE(made);
  const bool is_said =
      std::any_of(made->notes.begin(), made->notes.end(), [](const std::string& note) {
        return note.find("Left as without the file: gather (all ranks)") != std::string::npos;
      });
  EXPECT_TRUE(is_said);
}

TEST(NativeTimes, RoundsOfAnAllgatherCostALatencyEach) {
  // Bruck's rounds reach 1, 2, 4 and 8 ranks far: three of them wait for another site one after the
  // other, as measured on emulated sites (30.8 ms).
  const auto machine = three_sites();
  const NativeTimes times(machine, select::NativeMpi::OpenMpi);
  const auto call = call_of(Operation::Allgather, 12, 8);
  for (const Candidate& candidate : candidates_of(kOfOpenMpi, call, true)) {
    if (candidate.algorithm->name != "bruck") continue;
    EXPECT_GT(times.simulated(candidate, call), milliseconds(30));
    EXPECT_LT(times.simulated(candidate, call), milliseconds(31));
  }
}

TEST(WriteOpenMpi, OtherCommunicatorSizesKeepTheLibrarysOwnChoice) {
  const Tuning tuning = decide_open_mpi(three_sites(), {true, {Operation::Barrier}});
  // Sizes 0, 3 (leaders), 4, 12 (all), 13: the first and every gap have algorithm 0.
  const std::string text = open_mpi_rules(tuning);
  for (const char* line : {"6 # barrier\n5 # communicator sizes\n", "\n0 # from 0 ranks on",
                           "\n4 # from 4 ranks on", "\n13 # from 13 ranks on"}) {
    EXPECT_NE(text.find(line), text.npos) << line << "\nis not in\n" << text;
  }
}

TEST(WriteOpenMpi, BrucksAllgatherHasARadix) {
  // Open MPI 6 multiplies by it until it has passed the number of ranks.
  const auto machine = machine_of("site:4(10ms,100Mbit/s) host:1(50us,1Gbit/s)");
  const Tuning tuning = decide_open_mpi(machine, {true, {Operation::Allgather}});
  const SizeRule& rule = row_of(tuning.scopes.front(), Operation::Allgather, 8);
  ASSERT_NE(rule.choice.algorithm, nullptr);
  ASSERT_EQ(rule.choice.algorithm->name, "bruck");
  const std::string text = open_mpi_rules(tuning);
  EXPECT_NE(text.find("\n0 2 2 0 # bruck\n"), text.npos) << text;
  const auto document = Json::parse(open_mpi_json(tuning));
  const auto& first = document.at("collectives").at("allgather").at(0).at("rules").at(0);
  EXPECT_EQ(first.at("alg"), 2);
  EXPECT_EQ(first.at("faninout"), 2);
}

TEST(WriteOpenMpi, JsonTellsLeadersFromRanksOfOneHost) {
  const Tuning tuning = decide_open_mpi(three_sites(), {true, {Operation::Broadcast}});
  const auto document = Json::parse(open_mpi_json(tuning));
  EXPECT_EQ(document.at("rule_file_version"), 3);
  const auto& sizes = document.at("collectives").at("bcast");
  EXPECT_EQ(sizes.at(0).at("comm_size_min"), 12);
  EXPECT_EQ(sizes.at(0).at("comm_size_max"), 12);
  EXPECT_EQ(sizes.at(0).at("rules").at(0).at("msg_size_min"), 0);
  EXPECT_FALSE(sizes.at(0).contains("comm_rank_distribution"));
  EXPECT_EQ(sizes.at(1).at("comm_rank_distribution"), "one-per-node");
}

TEST(Mpich, TheFirstRuleThatHoldsIsTaken) {
  const auto rules = Json::parse(small_library().collectives);
  const auto& bcast = rules.at("collective=bcast");
  EXPECT_EQ(selected(bcast, {.ranks = 4, .bytes = 1 << 20}), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(selected(bcast, {.ranks = 12, .bytes = 12288}), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(selected(bcast, {.ranks = 12, .bytes = 12289}),
            "MPIR_Bcast_intra_scatter_ring_allgather");
}

TEST(Mpich, NewerNamesOfTheLengthAreRead) {
  MpichRules library = small_library();
  std::string& text = library.collectives;
  for (std::size_t at = 0; (at = text.find("avg_msg_size")) != text.npos;) {
    text.replace(at, std::string_view("avg_msg_size").size(), "per_proc_msg_size");
  }
  const auto rules = Json::parse(text);
  const auto& bcast = rules.at("collective=bcast");
  EXPECT_EQ(selected(bcast, {.ranks = 12, .bytes = 12288}), "MPIR_Bcast_intra_binomial");
  EXPECT_EQ(selected(bcast, {.ranks = 12, .bytes = 12289}),
            "MPIR_Bcast_intra_scatter_ring_allgather");
}

TEST(Mpich, WhatTheLibraryDoesStaysWhereItIsNotKnown) {
  MpichRules library = small_library();
  for (std::string* text : {&library.collectives, &library.compositions}) {
    for (std::size_t at = 0; (at = text->find("avg_msg_size")) != text->npos;) {
      text->replace(at, std::string_view("avg_msg_size").size(), "phase_of_the_moon");
    }
  }
  const Tuning tuning = decide_mpich(three_sites(), {true, {Operation::Broadcast}}, library);
  for (const OperationRules& rules : tuning.scopes.front().operations) {
    for (const SizeRule& row : rules.rows) {
      EXPECT_EQ(row.native, kForever);
      EXPECT_EQ(row.tuned, kForever);
      EXPECT_EQ(row.choice.algorithm, nullptr);
    }
  }
}

TEST(Mpich, RulesOfOtherCollectivesAndSizesStay) {
  const MpichRules library = small_library();
  const Tuning tuning = decide_mpich(three_sites(), {true, {Operation::Broadcast}}, library);
  const auto old = Json::parse(library.collectives);
  const auto document = Json::parse(mpich_collectives(tuning, library));
  EXPECT_EQ(document.at("collective=gatherv"), old.at("collective=gatherv"));
  const auto& bcast = document.at("collective=bcast");
  for (const Rank ranks : {2u, 4u, 11u, 13u, 64u}) {
    for (const std::uint64_t bytes : {8u, 20000u, 1u << 20}) {
      const CallFacts facts{.ranks = ranks, .hierarchy = "parent", .bytes = bytes};
      EXPECT_EQ(selected(bcast, facts), selected(old.at("collective=bcast"), facts));
    }
  }
}

TEST(Mpich, LongBroadcastsGoByTheTreesOfNonBlockingOnes) {
  const MpichRules library = small_library();
  const Tuning tuning = decide_mpich(three_sites(), {true, {Operation::Broadcast}}, library);
  const SizeRule& rule = row_of(tuning.scopes.front(), Operation::Broadcast, 524288);
  EXPECT_LT(2 * rule.tuned, rule.native);
  ASSERT_NE(rule.choice.algorithm, nullptr);
  EXPECT_EQ(rule.choice.algorithm->helper, "MPIR_Ibcast_intra_tsp_tree");
  const auto document = Json::parse(mpich_collectives(tuning, library));
  const CallFacts facts{.ranks = rule.by_host ? 3u : 12u,
                        .hierarchy = rule.by_host ? "node_roots" : "parent",
                        .bytes = 524288};
  EXPECT_EQ(selected(document.at("collective=bcast"), facts), "MPIR_Bcast_allcomm_nb");
  EXPECT_EQ(selected(document.at("collective=ibcast"), facts), "MPIR_Ibcast_intra_tsp_tree");
}

TEST(Mpich, WhereHostsDifferCallsGoByHostsAsBefore) {
  const auto uneven =
      machine_of("site:2(10ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:2|3|4(1us)");
  const Tuning tuning = decide_mpich(uneven, {true, {Operation::Broadcast}}, small_library());
  EXPECT_EQ(mpich_compositions(tuning, small_library()), "");
  EXPECT_NE(mpich_compositions(
                decide_mpich(three_sites(), {true, {Operation::Broadcast}}, small_library()),
                small_library()),
            "");
}

TEST(Mpich, WhatIsNoLibraryIsRefused) {
  const auto rules = read_mpich_rules(ESPALIER_SOURCE_DIR "/README.md");
  ASSERT_FALSE(rules);
  EXPECT_NE(rules.error().what.find("no selection rules"), std::string::npos);
}

TEST(MakeExport, NamesFilesWhereTheyAreWritten) {
  ExportRequest request;
  request.rules.operations = {Operation::Barrier};
  const auto settings = [&](const std::string& folder) {
    request.folder = folder;
    const auto made = make_export(machine_of("node:3(1us) proc:2(1us)"), request);
    return made ? made->settings : made.error().what;
  };
  const auto has = [](const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_TRUE(has(settings(""), " $PWD/openmpi-rules.conf --rankfile ranks.txt ..."));
  EXPECT_TRUE(
      has(settings("tune/"), " $PWD/tune/openmpi-rules.conf --rankfile tune/ranks.txt ..."));
  EXPECT_TRUE(has(settings("tune/"), "filename=$PWD/tune/openmpi-rules.conf\n"));
  EXPECT_TRUE(has(settings("/a/b/"), " /a/b/openmpi-rules.conf --rankfile /a/b/ranks.txt ..."));
}

TEST(MakeExport, SaysWhichNamesOfHostsAreMadeUp) {
  const auto notes = [](const topology::Machine& machine) {
    ExportRequest request;
    request.rules.operations = {Operation::Barrier};
    const auto made = make_export(machine, request);
    std::string all;
    for (const std::string& note : made->notes) all += note + "\n";
    return all;
  };
  const auto told = [](const std::string& first) {
    return "called: " + first + " and so on in ranks.txt are made up. Put in the names of yours.";
  };
  const std::string of_sites = notes(machine_of("site:2(1ms) node:2(1us) proc:2(1us)"));
  EXPECT_NE(of_sites.find(told("site0-node0")), std::string::npos) << of_sites;
  const std::string of_nodes = notes(machine_of("node:3(1us) proc:2(1us)"));
  EXPECT_NE(of_nodes.find(told("node0")), std::string::npos) << of_nodes;
  const std::string named = notes(*topology::read_json(
      R"({"format": "espalier-machine-1", "levels": [{"members": "node", "latency": "9 us"},
          {"members": "proc", "latency": "1 us"}],
          "children": [{"name": "paris1", "processes": 2}, {"name": "lyon1", "processes": 2}]})",
      "named"));
  EXPECT_EQ(named.find("made up"), std::string::npos) << named;
}

TEST(MakeExport, NamesTheFileOfRanksOnlyWhereItIsMade) {
  for (const char* line : {"node:3(1us) proc:2(1us)", "node:300(1us) proc:1(1us)"}) {
    ExportRequest request;
    request.rules.operations = {Operation::Barrier};
    const auto made = make_export(machine_of(line), request);
    ASSERT_TRUE(made) << line;
    const bool is_made = made->files.back().name == "ranks.txt";
    EXPECT_EQ(is_made, made->settings.find("ranks.txt") != std::string::npos) << made->settings;
    EXPECT_NE(made->settings.find(" ...\n"), std::string::npos) << made->settings;
  }
}

}  // namespace
}  // namespace espalier::tuning
