// Rules for the first ranks of a machine, besides those for all of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "topology/readers.hpp"
#include "tuning/formats.hpp"
#include "tuning/mpich.hpp"
#include "tuning/write_open_mpi.hpp"

namespace espalier::tuning {
namespace {

topology::Machine parsed(const std::string& line) {
  auto machine = topology::parse_synthetic(line);
  return *std::move(machine);
}

topology::Machine twelve_ranks() { return parsed("site:3(10ms,100Mbit/s) proc:4(1us,10Gbit/s)"); }

/// Four sites of four ranks, dealt out in turn: the first four ranks are one of each site.
topology::Machine in_turn() {
  return parsed("site:4(10ms,100Mbit/s) proc:4(1us,10Gbit/s) placement=cyclic");
}

TuningRules rules_for(std::vector<Operation> operations, std::vector<Rank> first) {
  return {true, std::move(operations), std::move(first)};
}

const std::vector<SizeRule>& rows_of(const ScopeRules& scope, Operation operation) {
  return rules_in(scope, operation)->rows;
}

/// Rules of broadcasts that stand in for those of a library.
MpichRules library_of_broadcasts() {
  MpichRules rules;
  rules.collectives = R"({"collective=bcast":{"comm_type=intra":{
    "avg_msg_size<=12288":{"algorithm=MPIR_Bcast_intra_binomial":{}},
    "avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}}},
   "collective=ibcast":{"comm_type=intra":{"algorithm=MPIR_Ibcast_intra_sched_binomial":{}}}})";
  rules.compositions = R"({"collective=bcast":{"comm_type=intra":{
    "comm_hierarchy=parent":{"composition=MPIDI_Bcast_intra_composition_alpha":{}},
    "comm_hierarchy=any":{"composition=MPIDI_Bcast_intra_composition_gamma":{}}}}})";
  rules.algorithms = {"MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_scatter_ring_allgather",
                      "MPIR_Bcast_allcomm_nb", "MPIR_Ibcast_intra_tsp_tree"};
  return rules;
}

TEST(FirstRanks, AreDecidedAsOnTheirPartOfTheMachine) {
  const Tuning all = decide_open_mpi(twelve_ranks(), rules_for({Operation::Broadcast}, {4, 8}));
  ASSERT_EQ(all.of_first.size(), 2u);
  const Tuning& four = all.of_first[0];
  const Tuning& eight = all.of_first[1];
  EXPECT_EQ(four.ranks, 4u);
  EXPECT_EQ(four.hosts, 1u);
  EXPECT_EQ(eight.hosts, 2u);
  EXPECT_EQ(eight.ranks_of_host, 4u);
  EXPECT_LT(rows_of(four.scopes.front(), Operation::Broadcast).front().native, milliseconds(1));

  const Tuning alone = decide_open_mpi(parsed("site:2(10ms,100Mbit/s) proc:4(1us,10Gbit/s)"),
                                       rules_for({Operation::Broadcast}, {}));
  const auto& ours = rows_of(eight.scopes.front(), Operation::Broadcast);
  const auto& theirs = rows_of(alone.scopes.front(), Operation::Broadcast);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t row = 0; row < ours.size(); ++row) {
    EXPECT_EQ(ours[row].choice, theirs[row].choice) << ours[row].bytes << " bytes";
    EXPECT_EQ(ours[row].tuned, theirs[row].tuned) << ours[row].bytes << " bytes";
  }
}

TEST(FirstRanks, DoNotChangeTheRulesOfAllRanks) {
  const Tuning with = decide_open_mpi(twelve_ranks(), rules_for({Operation::Barrier}, {3, 8}));
  const Tuning without = decide_open_mpi(twelve_ranks(), rules_for({Operation::Barrier}, {}));
  EXPECT_EQ(with.ranks, 12u);
  ASSERT_EQ(with.scopes.size(), without.scopes.size());
  EXPECT_EQ(rows_of(with.scopes.front(), Operation::Barrier).front().choice,
            rows_of(without.scopes.front(), Operation::Barrier).front().choice);
  EXPECT_TRUE(without.of_first.empty());
}

TEST(FirstRanks, EachNumberHasASectionInOpenMpisRules) {
  const Tuning tuning = decide_open_mpi(twelve_ranks(), rules_for({Operation::Barrier}, {4, 8}));
  // Leaders are 3. Untouched are those from 0, 5, 9 and 13 on.
  const std::string text = open_mpi_rules(tuning);
  for (const char* line :
       {"6 # barrier\n8 # communicator sizes\n0 # from 0 ranks on", "\n3 # communicators of 3",
        "\n4 # communicators of 4", "\n5 # from 5 ranks on", "\n8 # communicators of 8",
        "\n9 # from 9 ranks on", "\n12 # communicators of 12", "\n13 # from 13 ranks on"}) {
    EXPECT_NE(text.find(line), text.npos) << line << "\nis not in\n" << text;
  }
  EXPECT_EQ(text.find("from 4 ranks on"), text.npos) << text;
}

TEST(FirstRanks, ComeBeforeAsManyLeadersWhereRulesKnowOnlySizes) {
  const Tuning tuning = decide_open_mpi(twelve_ranks(), rules_for({Operation::Broadcast}, {3}));
  const auto by_size = rules_by_size(tuning);
  ASSERT_EQ(by_size.size(), 2u);
  EXPECT_EQ(by_size.at(3), &tuning.of_first.front().scopes.front());
  EXPECT_EQ(by_size.at(12), &tuning.scopes.front());
}

TEST(FirstRanks, InJsonLeadersComeFirstSinceTheyAreTold) {
  const Tuning tuning = decide_open_mpi(in_turn(), rules_for({Operation::Broadcast}, {4, 8}));
  const auto document = Json::parse(open_mpi_json(tuning));
  std::vector<Rank> sizes;
  std::vector<bool> told;
  for (const Json& one : document.at("collectives").at("bcast")) {
    EXPECT_EQ(one.at("comm_size_min"), one.at("comm_size_max"));
    sizes.push_back(one.at("comm_size_min").get<Rank>());
    told.push_back(one.contains("comm_rank_distribution"));
  }
  EXPECT_EQ(sizes, (std::vector<Rank>{16, 4, 4, 8}));
  EXPECT_EQ(told, (std::vector<bool>{false, true, false, false}));
}

TEST(FirstRanks, OfSeveralHostsCostRanksOfOneHost) {
  const auto losses = [](Format format, std::vector<Rank> first) {
    ExportRequest request;
    request.format = format;
    request.rules = rules_for({Operation::Broadcast}, std::move(first));
    return make_export(in_turn(), request)->tuning.host_losses.size();
  };
  EXPECT_GT(losses(Format::OpenMpi, {4}), 0u);
  EXPECT_GT(losses(Format::OpenMpiJson, {4}), 0u);
  EXPECT_EQ(losses(Format::OpenMpiJson, {8}), 0u);
}

TEST(FirstRanks, OfJustOneHostCostItNothing) {
  const Tuning tuning = decide_open_mpi(parsed("site:4(10ms,100Mbit/s) proc:4(1us,10Gbit/s)"),
                                        rules_for({Operation::Broadcast}, {4}));
  EXPECT_TRUE(tuning.host_losses.empty());
}

TEST(FirstRanks, OnMpichHaveConditionsOfTheirNumber) {
  const MpichRules library = library_of_broadcasts();
  const Tuning tuning =
      decide_mpich(twelve_ranks(), rules_for({Operation::Broadcast}, {4, 8}), library);
  const auto document = Json::parse(mpich_collectives(tuning, library));
  const Json& intra = document.at("collective=bcast").at("comm_type=intra");
  const auto keys = [&](const char* kind) {
    std::vector<std::string> found;
    for (const auto& [key, value] : intra.at(kind).items()) found.push_back(key);
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys("comm_hierarchy=parent"),
            (Keys{"comm_size<4", "comm_size<=4", "comm_size<8", "comm_size<=8", "comm_size<12",
                  "comm_size<=12", "comm_size=any"}));
  // Leaders of the two hosts of 8 ranks, and of all three.
  EXPECT_EQ(keys("comm_hierarchy=node_roots"),
            (Keys{"comm_size<2", "comm_size<=2", "comm_size<=3", "comm_size=any"}));
  // Four ranks of one host make the call in the communicator of the host.
  EXPECT_EQ(keys("comm_hierarchy=any"), (Keys{"comm_size<4", "comm_size<=4", "comm_size=any"}));
}

TEST(FirstRanks, OnMpichTakeWhatWasDecidedAndOthersWhatTheyTook) {
  const MpichRules library = library_of_broadcasts();
  const Tuning tuning =
      decide_mpich(twelve_ranks(), rules_for({Operation::Broadcast}, {4, 8}), library);
  const auto collectives = Json::parse(mpich_collectives(tuning, library));
  const auto compositions = Json::parse(mpich_compositions(tuning, library));
  const auto old_collectives = Json::parse(library.collectives);
  const auto old_compositions = Json::parse(library.compositions);
  const auto taken = [](const Json& rules, const CallFacts& facts) {
    return selected(rules.at("collective=bcast"), facts);
  };
  for (const Tuning& first : tuning.of_first) {
    for (const SizeRule& row : rows_of(first.scopes.front(), Operation::Broadcast)) {
      const CallFacts facts{.ranks = first.ranks, .hierarchy = "parent", .bytes = row.bytes};
      const bool is_ours = row.choice.algorithm != nullptr && !row.by_host;
      EXPECT_EQ(taken(collectives, facts),
                is_ours ? std::string(row.choice.algorithm->name) : taken(old_collectives, facts))
          << first.ranks << " ranks, " << row.bytes << " bytes";
      EXPECT_EQ(taken(compositions, facts),
                first.hosts == 1 ? taken(old_compositions, facts)
                                 : mpich_composition(Operation::Broadcast, row.by_host));
    }
  }
  for (const Rank ranks : {2u, 3u, 5u, 7u, 9u, 13u}) {
    const CallFacts facts{.ranks = ranks, .hierarchy = "parent", .bytes = 1u << 20};
    EXPECT_EQ(taken(collectives, facts), taken(old_collectives, facts)) << ranks;
    EXPECT_EQ(taken(compositions, facts), taken(old_compositions, facts)) << ranks;
  }
}

TEST(FirstRanks, AreNamedByTheReport) {
  ExportRequest request;
  request.rules = rules_for({Operation::Barrier}, {3, 8});
  const auto made = make_export(twelve_ranks(), request);
  ASSERT_TRUE(made);
  const std::string text = export_text(*made, {});
  for (const char* words :
       {"openmpi on 12 ranks, 3 hosts;", "\nthe first 3 ranks, 1 host\n",
        "\nthe first 8 ranks, 2 hosts\n", "Rules for 3 and 8 ranks are made for the first 3 and 8 ",
        "Communicators of one rank of each host have 3 ranks, too, and take the rules of the "
        "first 3 ranks."}) {
    EXPECT_NE(text.find(words), text.npos) << words << "\nis not in\n" << text;
  }
  const auto document = Json::parse(export_json(*made));
  EXPECT_EQ(document.at("ranks"), 12);
  EXPECT_EQ(document.at("of_first").size(), 2u);
  EXPECT_EQ(document.at("of_first").at(1).at("ranks"), 8);
  EXPECT_EQ(document.at("of_first").at(1).at("decisions").at(0).at("operation"), "barrier");
}

TEST(FirstRanks, AreInNoReportThatDidNotAskForThem) {
  ExportRequest request;
  request.rules = rules_for({Operation::Barrier}, {});
  const auto made = make_export(twelve_ranks(), request);
  ASSERT_TRUE(made);
  EXPECT_EQ(export_text(*made, {}).find("the first"), std::string::npos);
  EXPECT_TRUE(Json::parse(export_json(*made)).at("of_first").empty());
}

}  // namespace
}  // namespace espalier::tuning
