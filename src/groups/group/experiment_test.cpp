#include "group/experiment.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "group/allgather_sort.hpp"
#include "group/blue_gene.hpp"
#include "model/logp_models.hpp"

namespace espalier::group {
namespace {

Experiment of(Rank processes, std::uint64_t millionths) {
  Experiment experiment;
  experiment.processes = processes;
  experiment.millionths = millionths;
  experiment.work_per_word = kBlueGeneWord;
  return experiment;
}

Measurement at(Scheme scheme, const Experiment& experiment) {
  return measure(scheme, experiment, blue_gene(experiment.processes));
}

/// "2.1": of 10^5, to the paper's digit.
double in_1e5(std::uint64_t count) {
  const std::uint64_t tenths = (count + 5000) / 10000;
  return double(tenths) / 10;
}

// Section 6: 2.1, 2.6 and 4.9 x 10^5 messages at 128K processes and f = 0.6.
TEST(GroupExperiment, SendsAsManyMessagesAsThePaperAtItsLargestSize) {
  const Experiment paper = of(131072, 600'000);
  const Measurement centralized = at(Scheme::Centralized, paper);
  EXPECT_EQ(in_1e5(messages_as_in_paper(centralized.traffic)), 2.1);
  const Measurement hashed = at(Scheme::RankAndHash, paper);
  EXPECT_EQ(in_1e5(messages_as_in_paper(hashed.traffic)), 4.9);
  EXPECT_NEAR(double(hashed.traffic.of(Kind::DownEmpty)), 3.5e4, 1e3);
  const Measurement shrunk = at(Scheme::ShrinkAndBalance, paper);
  const Traffic& t = shrunk.traffic;
  EXPECT_LE(messages(t), 300'000U);
  EXPECT_LE(t.most_ids, 17U);  // log2 n
  // Counted as n - 1 up, m - 1 down, one for each fill and two for each move.
  EXPECT_EQ(in_1e5(t.of(Kind::Up) + t.of(Kind::Down) + t.of(Kind::Fill) + t.of(Kind::Adopt) +
                   t.of(Kind::Placed)),
            2.6);
  EXPECT_EQ(shrunk.members, hashed.members);
  EXPECT_EQ(shrunk.levels, least_levels(shrunk.members, 3));
}

// Where most vertices move: just below the 88,573 members that fill eleven levels.
TEST(GroupExperiment, ShrinkAndBalanceStaysWithinThePapersOrderAtEveryFraction) {
  for (const std::uint64_t f : {550'000U, 575'000U, 600'000U, 625'000U, 650'000U, 675'000U}) {
    const Measurement shrunk = at(Scheme::ShrinkAndBalance, of(131072, f));
    EXPECT_LE(messages(shrunk.traffic), 300'000U) << f;
    EXPECT_LE(shrunk.traffic.most_ids, 17U) << f;  // log2 n
    EXPECT_EQ(shrunk.levels, least_levels(shrunk.members, 3)) << f;
    // Finding each other costs less than a message and a half for each vertex that moves.
    const Traffic& t = shrunk.traffic;
    EXPECT_LE(2 * (t.of(Kind::Ask) + t.of(Kind::Answer) + t.of(Kind::Forward)),
              3 * t.of(Kind::Adopt))
        << f;
  }
}

TEST(GroupExperiment, CountsExactlyWhatTheFormulasSay) {
  const Measurement hashed = at(Scheme::RankAndHash, of(4096, 300'000));
  const std::uint64_t n = 4096, m = hashed.members;
  EXPECT_EQ(hashed.traffic.of(Kind::Up), n - 1);
  EXPECT_EQ(hashed.traffic.of(Kind::Down) + hashed.traffic.of(Kind::DownEmpty), n - 1);
  EXPECT_EQ(hashed.traffic.of(Kind::Announce), 2 * m - 1);
  EXPECT_EQ(hashed.traffic.of(Kind::Parent), m - 1);
  EXPECT_EQ(hashed.traffic.of(Kind::Children), (m - 1 + 2) / 3);
  const Measurement all = at(Scheme::Centralized, of(4096, 300'000));
  EXPECT_EQ(all.traffic.of(Kind::Up), n - 1);
  EXPECT_EQ(all.traffic.of(Kind::Down), m - 1);
}

TEST(GroupExperiment, MemoryStaysAsSmallAsStated) {
  const Measurement small = at(Scheme::RankAndHash, of(4096, 600'000));
  const Measurement large = at(Scheme::RankAndHash, of(65536, 600'000));
  EXPECT_EQ(small.memory.peak, large.memory.peak);
  EXPECT_EQ(small.memory.remaining, large.memory.remaining);
  EXPECT_LT(large.memory.peak, 512U);
  EXPECT_LT(at(Scheme::ShrinkAndBalance, of(65536, 600'000)).memory.peak, 1024U);
  EXPECT_GT(at(Scheme::Centralized, of(65536, 600'000)).memory.peak, 4U * 39'000);
}

// "above 0.70 no vertex has to move"
TEST(GroupExperiment, MovesVerticesOnlyWhereTheShrunkTreeIsTooTall) {
  EXPECT_GT(at(Scheme::ShrinkAndBalance, of(131072, 650'000)).traffic.of(Kind::Adopt), 15'000U);
  EXPECT_EQ(at(Scheme::ShrinkAndBalance, of(131072, 710'000)).traffic.of(Kind::Adopt), 0U);
}

TEST(GroupExperiment, DistributedSchemesBeatTheCentralizedOneExceptForTheSmallestGroups) {
  for (const std::uint64_t f : {100'000U, 600'000U, 990'000U}) {
    const Time centralized = at(Scheme::Centralized, of(32768, f)).finish;
    EXPECT_LT(at(Scheme::RankAndHash, of(32768, f)).finish, centralized) << f;
    EXPECT_LT(at(Scheme::ShrinkAndBalance, of(32768, f)).finish, centralized) << f;
  }
  EXPECT_GT(at(Scheme::RankAndHash, of(32768, 1'000)).finish,
            at(Scheme::Centralized, of(32768, 1'000)).finish);
}

// Table 1: 134.968 ms against 0.708 ms.
TEST(GroupExperiment, IsAHundredTimesFasterThanTheCalibratedCommSplit) {
  const Time split = calibrated_comm_split(32768, 1);
  EXPECT_NEAR(to_microseconds(split), 134'968, 2'000);
  const Time hashed = at(Scheme::RankAndHashColours, of(32768, 1'000'000)).finish;
  EXPECT_LT(100 * hashed, split);
  EXPECT_NEAR(to_microseconds(hashed), 708, 36);
}

TEST(GroupExperiment, TheAllgathersFormulaIsItsSimulation) {
  model::LogGPParameters flat{microseconds(3), microseconds(1), microseconds(1),
                              bytes_per_second(375'000'000)};
  for (const Rank n : {2U, 3U, 16U, 100U, 257U}) {
    const model::LogGP model(n, flat);
    Experiment experiment = of(n, 500'000);
    experiment.work_per_word = Time{0};
    const Measurement split = measure(Scheme::AllgatherSort, experiment, model);
    // The last one enters when the broadcast has reached it, and goes on as if all had then.
    EXPECT_GE(split.made, allgather_time(n, model));
    EXPECT_LE(split.made, allgather_time(n, model) + 20 * microseconds(5)) << n;
  }
}

TEST(GroupExperiment, SeveralGroupsAndOtherTrafficOnlyCostTime) {
  Experiment many = of(2048, 400'000);
  const Measurement alone = at(Scheme::ShrinkAndBalance, many);
  many.groups = 5;
  const Measurement five = at(Scheme::ShrinkAndBalance, many);
  EXPECT_GT(five.finish, alone.finish);
  EXPECT_GT(five.members, 4 * alone.members);
  many.groups = 1;
  many.traffic = {50, milliseconds(1), Bytes{1024}};
  const Measurement busy = at(Scheme::ShrinkAndBalance, many);
  EXPECT_GT(busy.finish, alone.finish);
  EXPECT_EQ(busy.members, alone.members);
  EXPECT_EQ(busy.traffic.of(Kind::Traffic), 50U * 2048);
}

TEST(GroupExperiment, RefusesColoursWhereThereIsOne) {
  Experiment experiment = of(8, 1'000'000);
  experiment.colours = 2;
  EXPECT_THROW((void)at(Scheme::Centralized, experiment), ContractViolation);
}

}  // namespace
}  // namespace espalier::group
