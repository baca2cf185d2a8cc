#include "profile/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "profile/json.hpp"
#include "profile/load.hpp"
#include "profile/rounds.hpp"
#include "profile/workload.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::profile {
namespace {

/// Sends less receives of every channel, over all processes.
std::map<std::pair<Rank, Rank>, std::int64_t> balance(const Profile& profile) {
  std::map<std::pair<Rank, Rank>, std::int64_t> sums;
  for (Rank p = 0; p < profile.size(); ++p) {
    const auto& actions = profile.processes[p].actions;
    std::vector<std::pair<std::size_t, std::int64_t>> ends;  // of loops, and how often inside
    for (std::size_t i = 0; i < actions.size(); ++i) {
      while (!ends.empty() && ends.back().first <= i) ends.pop_back();
      const std::int64_t times = ends.empty() ? 1 : ends.back().second;
      const Action& a = actions[i];
      if (a.kind == ActionKind::Loop) {
        ends.emplace_back(i + 1 + a.body, times * static_cast<std::int64_t>(a.times));
      }
      if (a.kind == ActionKind::Send) sums[{p, a.peer}] += times;
      if (a.kind == ActionKind::Recv) sums[{a.peer, p}] -= times;
    }
  }
  return sums;
}

TEST(Workload, SendsAndReceivesMatchForAllClassesAndSizes) {
  for (const std::string& name : workload_names()) {
    for (const char scale : std::string("SWABC")) {
      for (const Rank size : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
        const auto made = make_workload(name + "." + scale, size, {.heavy_factor = 3});
        ASSERT_TRUE(made.has_value());
        for (const auto& [channel, rest] : balance(*made)) {
          ASSERT_EQ(rest, 0) << name << scale << size << ": " << channel.first << "-"
                             << channel.second;
        }
      }
    }
  }
}

TEST(Workload, OfLuHasFourPartnersInTheMiddleAndHeavyChannelsWhereThePaperPutThem) {
  const auto lu = make_workload("lu.W", 16, {.heavy_factor = 4});
  ASSERT_TRUE(lu.has_value());
  std::map<Rank, int> partners;
  std::uint64_t most = 0;
  for (const Pair& pair : lu->pairs) ++partners[pair.from], most = std::max(most, pair.messages);
  for (const Rank r : {5U, 6U, 9U, 10U}) EXPECT_EQ(partners[r], 4);
  for (const Rank r : {0U, 3U, 12U, 15U}) EXPECT_EQ(partners[r], 2);
  for (const Pair& pair : lu->pairs) {
    const std::pair<Rank, Rank> ends = std::minmax(pair.from, pair.to);
    const bool heavy = ends == std::pair(4U, 8U) || ends == std::pair(7U, 11U);
    EXPECT_EQ(pair.messages > most / 2, heavy) << pair.from << "-" << pair.to;
  }
}

TEST(Workload, OfMgHasMostMessagesAtFourToSevenAndTwelveToFifteen) {
  const auto mg = make_workload("mg.W", 16);
  ASSERT_TRUE(mg.has_value());
  std::map<Rank, std::uint64_t> messages;
  for (const Pair& pair : mg->pairs) messages[pair.from] += pair.messages;
  for (Rank heavy : {4U, 5U, 6U, 7U, 12U, 13U, 14U, 15U}) {
    for (Rank light : {0U, 1U, 2U, 3U, 8U, 9U, 10U, 11U}) {
      EXPECT_GT(messages[heavy], messages[light]);
    }
  }
}

TEST(Workload, RefusesWhatItCannotDo) {
  EXPECT_FALSE(make_workload("mg.S", 12).has_value());
  EXPECT_FALSE(make_workload("lu.D", 16).has_value());
  EXPECT_FALSE(make_workload("xx.S", 16).has_value());
  EXPECT_FALSE(make_workload("lu.S", 0).has_value());
  EXPECT_FALSE(load_profile("lu.S:heavy=x", 16).has_value());
  EXPECT_FALSE(load_profile("/no/such/profile", 16).has_value());
}

/// An independent check: every process's receives are some process's sends, and a simple run of
/// all of them comes to an end.
TEST(RoundsProperty, EveryCollectiveMatchesAndEndsForEverySize) {
  for (int op = 0; op < schedule::kOperationCount; ++op) {
    for (Rank size = 1; size <= 20; ++size) {
      const Profile profile = silent_profile("", size);
      Action action;
      action.kind = ActionKind::Collective;
      action.operation = static_cast<schedule::Operation>(op);
      action.bytes = 7;
      action.peer = size / 2;
      struct Step {
        bool is_send;
        Rank peer;
        std::uint64_t bytes;
      };
      std::vector<std::vector<Step>> steps(size);
      for (Rank r = 0; r < size; ++r) {
        for_each_message(profile, action, r, [&](bool is_send, Rank peer, std::uint64_t bytes) {
          ASSERT_NE(peer, r);
          steps[r].push_back({is_send, peer, bytes});
        });
        EXPECT_LE(steps[r].size(), messages_at_most(action.operation, size));
      }
      std::map<std::pair<Rank, Rank>, std::vector<std::uint64_t>> flying;
      std::vector<std::size_t> at(size);
      for (bool moved = true; moved;) {
        moved = false;
        for (Rank r = 0; r < size; ++r) {
          while (at[r] < steps[r].size()) {
            const Step& s = steps[r][at[r]];
            auto& queue = flying[s.is_send ? std::pair(r, s.peer) : std::pair(s.peer, r)];
            if (!s.is_send) {
              if (queue.empty()) break;
              ASSERT_EQ(queue.front(), s.bytes);
              queue.erase(queue.begin());
            } else {
              queue.push_back(s.bytes);
            }
            ++at[r];
            moved = true;
          }
        }
      }
      for (Rank r = 0; r < size; ++r) ASSERT_EQ(at[r], steps[r].size()) << op << " of " << size;
      for (const auto& [channel, queue] : flying) ASSERT_TRUE(queue.empty());
    }
  }
}

TEST(ProfileJson, ReadsBackWhatItWrites) {
  for (const std::string& name : workload_names()) {
    const auto made = make_workload(name + ".S", 8);
    const auto read = read_json(write_json(*made), "p");
    ASSERT_TRUE(read.has_value()) << read.error();
    EXPECT_EQ(*read, *made);
  }
}

TEST(ProfileJson, LeavesOutLoopsInWhichNothingHappens) {
  const auto read = read_json(
      "{\"format\": \"espalier-profile-1\", \"processes\": 1, \"trace\": [{\"rank\": 0, "
      "\"actions\": "
      "[[\"loop\", 281474976710656, []], [\"loop\", 0, [[\"compute\", 5]]]]}]}",
      "p");
  ASSERT_TRUE(read.has_value()) << read.error();
  EXPECT_TRUE(read->processes[0].actions.empty());
}

TEST(Profile, HasNoPairsOfCollectivesWhereTheyAreTooMany) {
  for (const Rank size : {500U, 2'100U}) {
    Profile profile = silent_profile("all to all", size);
    Action action;
    action.kind = ActionKind::Collective;
    action.operation = schedule::Operation::Alltoall;
    action.bytes = std::uint64_t{size} * 1024;
    for (Process& process : profile.processes) process.actions = {action};
    count_pairs(profile);
    EXPECT_EQ(profile.is_executed_left_out, size == 2'100) << profile.executed.size();
    EXPECT_EQ(profile.executed.empty(), size == 2'100);
  }
}

TEST(ProfileJson, RefusesWithTheLine) {
  const auto with = [](const std::string& rest) {
    return read_json("{\"format\": \"espalier-profile-1\",\n\"processes\": 2,\n" + rest + "}", "p");
  };
  EXPECT_TRUE(with("\"pairs\": [[0,1,2,3]]").has_value());
  for (const std::string bad :
       {"\"pairs\": [[0,2,1,1]]", "\"pairs\": [[0,1,1]]", "\"pairs\": [[0,1,-1,1]]",
        "\"colour\": 1", "\"trace\": []", "\"communicators\": [[0,0]]", "\"communicators\": [[]]",
        "\"trace\": [{\"rank\":1},{\"rank\":0}]",
        "\"trace\": [{\"rank\":0,\"actions\":[[\"jump\",1]]},{\"rank\":1}]",
        "\"trace\": [{\"rank\":0,\"actions\":[[\"send\",2,1]]},{\"rank\":1}]",
        "\"trace\": [{\"rank\":0,\"actions\":[[\"broadcast\",1,0,1]]},{\"rank\":1}]",
        R"("communicators":[[1]],"trace": [{"rank":0,"actions":[["barrier",0,0,1]]},{"rank":1}])",
        "\"trace\": [{\"rank\":0,\"actions\":[[\"loop\",99999999999999999,[]]]},{\"rank\":1}]"}) {
    const auto read = with(bad);
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_EQ(read.error().where, "p:3") << bad;
  }
  EXPECT_FALSE(read_json("{\"format\": \"espalier-profile-2\"}", "p").has_value());
}

TEST(Matrix, ReadsListsAndSquares) {
  const auto list = read_csv("from,to,messages,bytes\n0,1,10,1000\n1,0,5,50\n", "m");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->pairs, (std::vector<Pair>{{0, 1, 10, 1000}, {1, 0, 5, 50}}));
  EXPECT_TRUE(list->has_trace());
  const auto square = read_csv("# bytes\n0 5 0\n1 0 2\n0 0 0\n", "m");
  ASSERT_TRUE(square.has_value());
  EXPECT_EQ(square->size(), 3U);
  EXPECT_EQ(square->pairs, (std::vector<Pair>{{0, 1, 1, 5}, {1, 0, 1, 1}, {1, 2, 1, 2}}));
  for (const char* bad : {"", "0 1\n2\n", "0 x\n1 0\n", "0,1,2,3,4\n", "from,to,bytes\n0,1\n",
                          "from,to,bytes\n0,1,9,900\n", "from,to,bytes,messages\n0,1,900,9\n"}) {
    EXPECT_FALSE(read_csv(bad, "m").has_value()) << bad;
  }
}

TEST(Matrix, RefusesWhatMayBeAListOrASquare) {
  for (const char* list : {"0,1,100\n1,2,200\n2,0,300\n", "5,6,100\n6,7,200\n7,5,300\n",
                           "0,1,10,1000\n1,0,10,1000\n2,3,10,1000\n3,2,10,1000\n"}) {
    const auto read = read_csv(list, "m");
    ASSERT_FALSE(read.has_value()) << list;
    EXPECT_EQ(read.error().where, "m:1");
  }
  EXPECT_EQ(read_csv("from,to,bytes\n0,1,100\n1,2,200\n2,0,300\n", "m")->pairs.size(), 3U);
  EXPECT_EQ(read_csv("0 100 200\n100 0 300\n200 300 0\n", "m")->pairs.size(), 6U);
}

TEST(Matrix, ReadsWhatOpenMpisMonitoringWrites) {
  std::ifstream in(std::string(ESPALIER_SOURCE_DIR) + "/tests/data/profile/openmpi.prof");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto profile = parse_profile(text, "openmpi.prof");
  ASSERT_TRUE(profile.has_value()) << profile.error();
  EXPECT_EQ(profile->size(), 4U);
  // A ring of ten messages of 1000 bytes, and an allreduce of 4 bytes by recursive doubling.
  EXPECT_EQ(profile->pairs,
            (std::vector<Pair>{
                {0, 1, 10, 10000}, {1, 2, 10, 10000}, {2, 3, 10, 10000}, {3, 0, 10, 10000}}));
  EXPECT_EQ(profile->executed.size(), 8U);
  EXPECT_FALSE(read_openmpi_monitoring("E\t0\tx\t1 bytes\t1 msgs sent\n", "m").has_value());
  EXPECT_FALSE(read_openmpi_monitoring("# POINT TO POINT\n", "m").has_value());
}

}  // namespace
}  // namespace espalier::profile
