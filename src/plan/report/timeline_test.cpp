#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "report/critical_list.hpp"
#include "report/lanes.hpp"
#include "report/svg.hpp"
#include "sim/simulate.hpp"
#include "support/for_all_seeds.hpp"
#include "support/plans.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

Machine grid() {
  return *topology::parse_synthetic("site:2(30ms,100Mbit/s) proc:4(5us,1Gbit/s,send=1us,recv=1us)");
}

SimulatedPlan simulated(const schedule::Schedule& schedule, const Machine& machine,
                        std::vector<Time> skew = {}) {
  sim::SimOptions options;
  options.trace = true;
  options.skew = skew;
  return {"binomial", schedule.call, sim::simulate(schedule, machine, options), std::move(skew)};
}

TEST(Lanes, ShowWhoIsLateAndWhoSends) {
  const Machine machine = grid();
  std::vector<Time> skew(8);
  skew[5] = milliseconds(40);
  const SimulatedPlan plan = simulated(plans::binomial_broadcast(8, 1024, 1024), machine, skew);
  const Lanes lanes = lanes_of(plan, machine, 8);
  ASSERT_EQ(lanes.lanes.size(), 8U);
  EXPECT_EQ(lanes.hidden, 0U);
  EXPECT_EQ(lanes.horizon, plan.result.finish);
  const Activity& late = lanes.lanes[5].activities.front();
  EXPECT_EQ(late.kind, Activity::Kind::Late);
  EXPECT_EQ(late.end, milliseconds(40));
  EXPECT_TRUE(lanes.lanes[5].critical);
}

TEST(Lanes, KeepTheCriticalPathWhenThereAreTooMany) {
  const Machine machine = *topology::parse_synthetic("site:2(30ms,1Gbit/s) proc:64(5us,1Gbit/s)");
  const SimulatedPlan plan = simulated(plans::binomial_broadcast(128, 1024, 1024), machine);
  const Lanes lanes = lanes_of(plan, machine, 24);
  ASSERT_EQ(lanes.lanes.size(), 24U);
  EXPECT_EQ(lanes.hidden, 104U);
  EXPECT_EQ(lanes.lanes[0].rank, plan.result.critical_path[0].rank);
  EXPECT_TRUE(lanes.lanes[0].critical);
  std::size_t sites[2] = {0, 0};
  for (const Lane& lane : lanes.lanes) ++sites[lane.rank / 64];
  EXPECT_GE(sites[0], 8U);
  EXPECT_GE(sites[1], 8U);
}

TEST(CriticalList, JoinsWhatOneProcessorDoesAndMessagesInARow) {
  const Machine machine = grid();
  const SimulatedPlan plan = simulated(plans::chain_broadcast(8, 65536, 4096), machine);
  const std::vector<PathStretch> stretches = critical_stretches(plan.result);
  const auto wan = std::find_if(stretches.begin(), stretches.end(), [](const PathStretch& s) {
    return s.travels && s.rank == 3 && s.peer == 4;
  });
  ASSERT_NE(wan, stretches.end());
  EXPECT_EQ(wan->messages, 16U);
  EXPECT_EQ(describe(*wan), "3 -> 4, 16 messages in a row");
  PathStretch work;
  work.rank = 5;
  work.recvs = 2;
  work.reduces = 2;
  work.sends = 1;
  work.peer = 1;
  EXPECT_EQ(describe(work), "5 receives 2, combines 2, sends 1");
  work.recvs = work.reduces = 0;
  EXPECT_EQ(describe(work), "5 sends to 1");
  work.sends = 3;
  EXPECT_EQ(describe(work), "5 sends 3 messages to 1");
  work.peer = kNoRank;
  EXPECT_EQ(describe(work), "5 sends 3 messages");
}

// From 0 to the finish without a gap, whatever was joined.
TEST(CriticalListProperty, CoversAllOfTheTime) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next());
    std::vector<Time> skew(machine.size());
    for (Time& t : skew) t = rng.chance(20) ? Time{rng.between(0, 5'000'000'000)} : Time{0};
    const schedule::Schedule schedule =
        rng.chance(50) ? plans::binomial_broadcast(machine.size(), 1 + rng.below(100'000), 8192)
                       : plans::ring_allgather(machine.size(), 1 + rng.below(10'000));
    const SimulatedPlan plan = simulated(schedule, machine, skew);
    Time at{0};
    std::size_t rows = 0;
    for (const PathStretch& s : critical_stretches(plan.result)) {
      ASSERT_EQ(s.begin, at);
      at = s.end;
      ++rows;
    }
    ASSERT_EQ(at, plan.result.finish);
    ASSERT_LE(critical_table(plan, machine, 9).rows.size(), 9U);
    ASSERT_EQ(critical_table(plan, machine, rows).rows.size(), rows);
  });
}

// Nothing outside the canvas, on any machine.
TEST(DrawTimelineProperty, StaysWithinTheCanvas) {
  for_all_seeds(60, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next());
    const SimulatedPlan plan = simulated(
        plans::binomial_broadcast(machine.size(), 1 + rng.below(100'000), 20'000), machine);
    const Canvas canvas{false, 72 + rng.below(100)};
    const std::string text = draw_timeline(plan, machine, canvas, Detail::Folded);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
      ASSERT_LE(display_width(text.substr(begin, end - begin)), canvas.width)
          << text.substr(begin, end - begin);
      begin = end + 1;
    }
    ASSERT_EQ(begin, text.size());
  });
}

TEST(DrawTimeline, SaysWhoNeverEnds) {
  const Machine machine = grid();
  schedule::Schedule schedule = plans::binomial_broadcast(8, 1024, 1024);
  schedule.programs[0].ops.clear();  // the root sends nothing
  schedule.programs[0].deps.clear();
  const SimulatedPlan plan = simulated(schedule, machine);
  const std::string text = draw_timeline(plan, machine, {}, Detail::Folded);
  EXPECT_NE(text.find("7 ranks never done"), std::string::npos) << text;
  const auto json = Json::parse(simulation_json(plan, machine));
  EXPECT_TRUE(json["finish_ps"].is_null());
  EXPECT_EQ(json["finish"], "never");
  EXPECT_NE(timeline_svg(plan, machine, Detail::Folded).find("some ranks never end"),
            std::string::npos);
}

TEST(TimelineSvg, IsAsWideAsItIsAskedToBeAndMarksWhatArrivesInNoTime) {
  const Machine machine = *topology::parse_synthetic("site:2(30ms,100Mbit/s) proc:8(5us)");
  const SimulatedPlan few = simulated(plans::binomial_broadcast(16, 64, 64), machine);
  EXPECT_EQ(width_of_svg(timeline_svg(few, machine, Detail::Folded, 2000)), 2000);
  EXPECT_LT(width_of_svg(timeline_svg(few, machine, Detail::Folded)), 1200);
  EXPECT_EQ(timeline_svg(few, machine, Detail::Folded).find("marks where"), std::string::npos);
  // 15 messages for each of 64 segments.
  const SimulatedPlan many = simulated(plans::binomial_broadcast(16, 65536, 1024), machine);
  ASSERT_EQ(many.result.messages, 960U);
  EXPECT_NE(timeline_svg(many, machine, Detail::Folded).find("marks where messages arrive"),
            std::string::npos);
}

TEST(StackSvg, PutsOneDrawingBelowTheOther) {
  const std::string stacked = stack_svg({"<svg xmlns=\"x\" width=\"10\" height=\"20\">\nA</svg>\n",
                                         "<svg xmlns=\"x\" width=\"30\" height=\"5\">\nB</svg>\n"});
  EXPECT_NE(stacked.find("width=\"30\" height=\"25\""), std::string::npos) << stacked;
  EXPECT_NE(stacked.find("<svg y=\"0\" xmlns=\"x\" width=\"10\" height=\"20\">\nA"),
            std::string::npos);
  EXPECT_NE(stacked.find("<svg y=\"20\" xmlns=\"x\" width=\"30\" height=\"5\">\nB"),
            std::string::npos);
}

TEST(TrafficSvg, DrawsClustersWhereProcessesAreTooMany) {
  const Machine small = grid();
  const std::string ranks =
      traffic_svg(simulated(plans::binomial_broadcast(8, 64, 64), small), small);
  EXPECT_NE(ranks.find("between two ranks"), std::string::npos);
  const Machine large = *topology::parse_synthetic("site:2(1ms,1Gbit/s) node:8(1us) proc:16(1us)");
  const std::string nodes =
      traffic_svg(simulated(plans::binomial_broadcast(256, 64, 64), large), large);
  EXPECT_NE(nodes.find("between two clusters"), std::string::npos);
}

}  // namespace
}  // namespace espalier::report
