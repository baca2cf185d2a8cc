#include "tuning/han.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "topology/readers.hpp"
#include "tuning/formats.hpp"

namespace espalier::tuning {
namespace {

/// Four sites of four ranks, dealt out in turn: trees by number cross between sites often.
topology::Machine sites_in_turn() {
  auto machine =
      topology::parse_synthetic("site:4(10ms,100Mbit/s) proc:4(1us,10Gbit/s) placement=cyclic");
  return *std::move(machine);
}

TuningRules rules_of(std::vector<Operation> operations) {
  return {true, std::move(operations), {}};
}

const SizeRule& row_by_bytes(const ScopeRules& scope, Operation operation, std::uint64_t bytes) {
  for (const SizeRule& row : rules_in(scope, operation)->rows) {
    if (row.bytes == bytes) return row;
  }
  throw std::out_of_range("no such row");
}

TEST(DecideHan, CallsGoByHostsWhereRanksOfAHostDoNotFollowEachOther) {
  const topology::Machine machine = sites_in_turn();
  const Tuning flat = decide_open_mpi(machine, rules_of({Operation::Reduce, Operation::Allreduce}));
  const Tuning tuning = decide_han(machine, flat);
  constexpr std::uint64_t kBytes = 32768;
  for (const Operation operation : {Operation::Reduce, Operation::Allreduce}) {
    const SizeRule& row = row_by_bytes(tuning.scopes.front(), operation, kBytes);
    const SizeRule& without = row_by_bytes(flat.scopes.front(), operation, kBytes);
    EXPECT_TRUE(row.by_host) << schedule::name_of(operation);
    EXPECT_LT(10 * row.tuned, 9 * without.tuned) << schedule::name_of(operation);
    EXPECT_EQ(row.native, without.native);
  }
  // Four leaders far apart, and then ranks of one host: no less than a message and its latency.
  EXPECT_GT(row_by_bytes(tuning.scopes.front(), Operation::Allreduce, kBytes).tuned,
            milliseconds(20));
}

TEST(DecideHan, NothingIsSlowerThanByTheRulesOfTunedAlone) {
  for (const char* placement : {"block", "cyclic"}) {
    const auto machine = *topology::parse_synthetic(
        std::string("site:3(10ms,100Mbit/s) proc:4(1us,10Gbit/s) placement=") + placement);
    const Tuning flat = decide_open_mpi(
        machine, rules_of({Operation::Broadcast, Operation::Reduce, Operation::Barrier}));
    const Tuning tuning = decide_han(machine, flat);
    for (const OperationRules& rules : flat.scopes.front().operations) {
      for (const SizeRule& row : rules.rows) {
        const SizeRule& with = row_by_bytes(tuning.scopes.front(), rules.operation, row.bytes);
        EXPECT_LE(with.tuned, row.tuned);
        if (!with.by_host) {
          EXPECT_EQ(with.choice, row.choice);
        }
      }
    }
  }
}

TEST(DecideHan, LeadersThatShareASizeWithFirstRanksTakeTheirRules) {
  const topology::Machine machine = sites_in_turn();
  TuningRules rules = rules_of({Operation::Reduce});
  rules.first = {4};  // as many as there are hosts
  const Tuning flat = decide_open_mpi(machine, rules);
  const Tuning tuning = decide_han(machine, flat);
  std::size_t by_hosts = 0;
  for (const SizeRule& row : rules_in(tuning.scopes.front(), Operation::Reduce)->rows) {
    if (!row.by_host) continue;
    ++by_hosts;
    EXPECT_EQ(
        row.choice,
        row_by_bytes(flat.of_first.front().scopes.front(), Operation::Reduce, row.bytes).choice);
  }
  EXPECT_GT(by_hosts, 0U);
}

TEST(DecideHan, NothingGoesByHostsWhereTheyAreUneven) {
  const auto machine = *topology::parse_synthetic("site:2(10ms,100Mbit/s) proc:4|3(1us,10Gbit/s)");
  const Tuning tuning =
      decide_han(machine, decide_open_mpi(machine, rules_of({Operation::Reduce})));
  const std::string text = han_rules(tuning);
  EXPECT_EQ(text.find("han\n"), std::string::npos) << text;
}

/// Reductions of 8 and 32 B by hosts, those of 128 B not.
Tuning short_reductions_by_hosts() {
  OperationRules reduce{Operation::Reduce, {}};
  for (const std::uint64_t bytes : {8U, 32U, 128U}) {
    SizeRule row;
    row.bytes = bytes;
    row.by_host = bytes < 128;
    reduce.rows.push_back(row);
  }
  Tuning tuning;
  tuning.scopes = {{Members::All, 16, {reduce}}};
  return tuning;
}

TEST(HanRules, NameACollectiveItsLevelsAndItsSizes) {
  const std::string text = han_rules(short_reductions_by_hosts());
  EXPECT_TRUE(
      text.starts_with("8 # collectives of coll/han; written by espalier export\n"
                       "0 # allgather\n1 # levels\n2\n1 # sizes\n1 # from 1 rank on\n"
                       "1 # rules\n0 tuned\n1 # allgatherv\n"))
      << text;
  const std::string everywhere = "\n1 # sizes\n1 # from 1 rank on\n1 # rules\n0 tuned\n";
  EXPECT_NE(text.find("11 # reduce\n3 # levels\n0" + everywhere + "1" + everywhere +
                      "2\n3 # sizes\n1 # from 1 rank on\n1 # rules\n0 tuned\n"
                      "16 # communicators of 16 ranks\n2 # rules\n0 han\n64 tuned\n"
                      "17 # from 17 ranks on\n1 # rules\n0 tuned\n15 # scatter\n"),
            std::string::npos)
      << text;
}

/// With "tuned" Open MPI 4.1.4 ends with a segmentation fault in each allreduce.
TEST(HanRules, LeaveAllreducesToTunedByAnotherName) {
  Tuning tuning = short_reductions_by_hosts();
  EXPECT_NE(han_rules(tuning).find("2 # allreduce\n1 # levels\n2\n1 # sizes\n1 # from 1 rank on\n"
                                   "1 # rules\n0 self\n6 # barrier\n"),
            std::string::npos);
  tuning.scopes.front().operations.front().operation = Operation::Allreduce;
  EXPECT_NE(han_rules(tuning).find("2\n3 # sizes\n1 # from 1 rank on\n1 # rules\n0 self\n"
                                   "16 # communicators of 16 ranks\n2 # rules\n0 han\n64 self\n"
                                   "17 # from 17 ranks on\n1 # rules\n0 self\n6 # barrier\n"),
            std::string::npos)
      << han_rules(tuning);
}

TEST(HanRules, HaveNoCommentBehindAComponent) {
  const std::string text = han_rules(short_reductions_by_hosts());
  for (const char* words : {"tuned #", "han #"}) EXPECT_EQ(text.find(words), std::string::npos);
}

TEST(MakeExport, WithHanWritesBothFilesAndTheirSettings) {
  ExportRequest request;
  request.format = Format::OpenMpiHan;
  request.rules = rules_of({Operation::Reduce});
  request.folder = "tune/";
  const auto made = make_export(sites_in_turn(), request);
  ASSERT_TRUE(made);
  std::vector<std::string> names;
  for (const TuningFile& file : made->files) names.push_back(file.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"openmpi-rules.conf", "openmpi-han.conf", "ranks.txt"}));
  // The rules of coll/tuned are those without HAN: it leaves some calls to them.
  EXPECT_EQ(made->files[0].text, [&] {
    request.format = Format::OpenMpi;
    return make_export(sites_in_turn(), request)->files[0].text;
  }());
  for (const char* words :
       {"--mca coll_han_priority 100 ", "--mca coll_han_use_dynamic_file_rules 1 ",
        "--mca coll_han_dynamic_rules_filename $PWD/tune/openmpi-han.conf ",
        "--mca coll_han_use_simple_allreduce 1 ", "--rankfile tune/ranks.txt ...\n",
        " OMPI_MCA_coll_han_use_simple_bcast=1"}) {
    EXPECT_NE(made->settings.find(words), std::string::npos) << words << "\n" << made->settings;
  }
  EXPECT_NE(export_text(*made, {}).find("leaders of hosts: "), std::string::npos);
  for (const std::string& note : made->notes) {
    EXPECT_EQ(note.find("coll_han_priority 0"), std::string::npos) << note;
  }
}

}  // namespace
}  // namespace espalier::tuning
