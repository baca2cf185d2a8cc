#include <gtest/gtest.h>

#include <set>

#include "support/for_all_seeds.hpp"
#include "support/random_spec.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

MemberSpec process_spec(std::uint64_t count, Uplink uplink = {}) {
  MemberSpec spec;
  spec.count = count;
  spec.uplink = uplink;
  return spec;
}

MachineSpec simgrid_machine(std::vector<MemberSpec> members) {
  MachineSpec spec;
  spec.where = "test";
  spec.whole.members = std::move(members);
  return spec;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

const Bandwidth kGigabit = bits_per_second(1'000'000'000);
const Bandwidth kMegabit = bits_per_second(1'000'000);

TEST(WriteSimgrid, SharesWhatTheMachineShares) {
  MachineSpec spec =
      simgrid_machine({process_spec(1, {kGigabit, kGigabit, false, microseconds(1)}),
                       process_spec(1, {kGigabit, kGigabit, true, microseconds(2)}),
                       process_spec(1, {kGigabit, kMegabit, false, microseconds(3)})});
  spec.whole.channel = {microseconds(9), kGigabit, kMegabit};
  const std::string text = write_simgrid(*build_machine(spec));
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(
      has("<link id=\"p0/link\" bandwidth=\"1000000000bps\" latency=\"1000000ps\" "
          "sharing_policy=\"SPLITDUPLEX\"/>"));
  EXPECT_TRUE(
      has("<link id=\"p1/link\" bandwidth=\"1000000000bps\" latency=\"2000000ps\" "
          "sharing_policy=\"SHARED\"/>"));
  EXPECT_TRUE(
      has("<link id=\"p2/link-out\" bandwidth=\"1000000000bps\" latency=\"3000000ps\" "
          "sharing_policy=\"SHARED\"/>"));
  EXPECT_TRUE(
      has("<link id=\"p2/link-in\" bandwidth=\"1000000bps\" latency=\"3000000ps\" "
          "sharing_policy=\"SHARED\"/>"));
  EXPECT_TRUE(
      has("<link id=\"machine/backbone\" bandwidth=\"1000000000bps\" latency=\"0ps\" "
          "sharing_policy=\"SHARED\"/>"));
  EXPECT_TRUE(
      has("<link id=\"machine/channel\" bandwidth=\"1000000bps\" latency=\"9000000ps\" "
          "sharing_policy=\"FATPIPE\"/>"));
}

TEST(WriteSimgrid, TellsSmpiWhatMessagesCostTheirHosts) {
  MachineSpec spec = simgrid_machine({process_spec(1)});
  spec.whole.costs.send = Cost{microseconds(20), kUnlimited};
  spec.whole.costs.recv = Cost{microseconds(5), bits_per_second(8'000'000)};
  spec.whole.costs.speed_millionths = 2'500'000;
  const std::string text = write_simgrid(*build_machine(spec));
  EXPECT_NE(text.find("speed=\"2500000kf\""), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"smpi/os\" value=\"0:20000000e-12:0\"/>"), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"smpi/ois\" value=\"0:20000000e-12:0\"/>"), std::string::npos);
  EXPECT_NE(text.find("<prop id=\"smpi/or\" value=\"0:5000000e-12:9.9999999999999995e-07\"/>"),
            std::string::npos);
}

TEST(WriteSimgrid, GrowsWithTheMembersOfAClusterNotWithTheirPairs) {
  for (const bool capped : {false, true}) {  // a star, and two routers
    MachineSpec spec =
        simgrid_machine({process_spec(1000, {kGigabit, kGigabit, false, microseconds(1)})});
    if (capped) spec.whole.channel.flow_cap = kMegabit;
    EXPECT_LT(count_of(write_simgrid(*build_machine(spec)), "link_ctn"), 2100u);
  }
}

TEST(WriteSimgrid, NamesTheHostOfEveryRankOnce) {
  MemberSpec a = process_spec(2);
  a.name = "same";
  a.members = {process_spec(1), process_spec(1)};
  a.count = 1;
  a.members[0].name = "node";
  a.members[1].name = "odd name: <&>";
  MemberSpec b = a;
  b.name = "other";
  MachineSpec spec = simgrid_machine({a, b, process_spec(1)});
  spec.placement = PlacementKind::Listed;
  spec.listed = {4, 0, 1, 2, 3};
  const Machine m = *build_machine(spec);
  const std::vector<std::string> hosts = simgrid_hosts(m);
  EXPECT_EQ(hosts, (std::vector<std::string>{"p2", "node", "odd_name_____", "other.node",
                                             "other.odd_name_____"}));
  const std::string text = write_simgrid(m);
  for (const std::string& host : hosts) {
    EXPECT_EQ(count_of(text, "<host id=\"" + host + "\""), 1u) << host;
  }
}

TEST(WriteSimgridProperty, IsReadBackWithTheSamePathsAndCosts) {
  for_all_seeds(600, [](Random& rng) {
    const auto simgrid_machine = build_machine(RandomSpec(rng).make());
    ASSERT_TRUE(simgrid_machine) << simgrid_machine.error();
    const std::string text = write_simgrid(*simgrid_machine);
    const auto back = read_simgrid(text, "written.xml");
    ASSERT_TRUE(back) << back.error() << text;
    ASSERT_TRUE(back->notes.empty()) << back->notes[0] << text;
    ASSERT_EQ(back->machine.size(), simgrid_machine->size());
    for (Rank from = 0; from < simgrid_machine->size(); ++from) {
      ASSERT_EQ(back->machine.costs(from), simgrid_machine->costs(from)) << from << text;
      for (Rank to = 0; to < simgrid_machine->size(); ++to) {
        const Path ours = simgrid_machine->path(from, to);
        const Path theirs = back->machine.path(from, to);
        ASSERT_EQ(theirs.latency, ours.latency) << from << " to " << to << text;
        ASSERT_EQ(theirs.bandwidth, ours.bandwidth) << from << " to " << to << text;
        ASSERT_EQ(theirs.level, ours.level) << from << " to " << to << text;
      }
    }
  });
}

}  // namespace
}  // namespace espalier::topology
