#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

/// A platform of version 4.1; its content begins on line 2.
std::string platform(const std::string& content) {
  return "<platform version=\"4.1\">\n" + content + "\n</platform>\n";
}

Machine machine_of(const std::string& content) {
  auto loaded = read_simgrid(platform(content), "p.xml");
  EXPECT_TRUE(loaded) << loaded.error();
  EXPECT_TRUE(loaded->notes.empty()) << loaded->notes[0];
  return loaded->machine;
}

std::vector<std::string> notes_of(const std::string& content) {
  const auto loaded = read_simgrid(platform(content), "p.xml");
  EXPECT_TRUE(loaded) << loaded.error();
  return loaded->notes;
}

Rank rank_of(const Machine& machine, const std::string& host) {
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    if (machine.leaf_name(machine.leaf_of(rank)) == host) return rank;
  }
  ADD_FAILURE() << "no host " << host;
  return 0;
}

constexpr const char* kFlat =
    "<cluster id='c' prefix='n' suffix='.c' radical='0-3' speed='2Gf' bw='125MBps' lat='50us' "
    "bb_bw='250MBps' bb_lat='20us'/>";

TEST(ReadSimgrid, MakesACommonClusterOfHostsUplinksAndABackbone) {
  const Machine m = machine_of(kFlat);
  ASSERT_EQ(m.size(), 4u);
  ASSERT_EQ(m.clusters().size(), 1u);
  EXPECT_EQ(m.leaf_name(3), "n3.c");
  EXPECT_EQ(m.clusters()[0].channel,
            (Channel{microseconds(20), bytes_per_second(250'000'000), kUnlimited}));
  EXPECT_EQ(m.leaf_uplink(0), (Uplink{bytes_per_second(125'000'000), bytes_per_second(125'000'000),
                                      false, microseconds(50)}));
  EXPECT_EQ(m.costs(0).speed_millionths, 2'000'000u);
  EXPECT_EQ(m.path(0, 3).latency, microseconds(120));
}

TEST(ReadSimgrid, MakesALinkForBothDirectionsHalfDuplex) {
  const Machine m = machine_of(
      "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='125MBps' lat='50us' "
      "sharing_policy='SHARED'/>");
  EXPECT_TRUE(m.leaf_uplink(0).half_duplex);
}

TEST(ReadSimgrid, MakesFatpipesCapsOfFlows) {
  const Machine m = machine_of(
      "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='125MBps' lat='50us' "
      "bb_bw='9MBps' bb_lat='0' bb_sharing_policy='FATPIPE'/>");
  EXPECT_TRUE(m.clusters()[0].channel.backbone.unlimited());
  EXPECT_EQ(m.clusters()[0].channel.flow_cap, bytes_per_second(9'000'000));
}

TEST(ReadSimgrid, MakesNodesOfHostsWithSeveralCores) {
  const Machine m = machine_of(
      "<zone id='z' routing='Full'>"
      "<host id='a' speed='1Gf' core='3'/><host id='b' speed='1Gf'/>"
      "<link id='l' bandwidth='1GBps' latency='9us'/>"
      "<link id='lo' bandwidth='5GBps' latency='1us' sharing_policy='FATPIPE'/>"
      "<route src='a' dst='a'><link_ctn id='lo'/></route>"
      "<route src='a' dst='b'><link_ctn id='l'/></route></zone>");
  ASSERT_EQ(m.size(), 4u);
  ASSERT_EQ(m.clusters().size(), 2u);
  EXPECT_EQ(m.clusters()[1].name, "a");
  EXPECT_EQ(m.path(0, 2), (Path{1, microseconds(1), bytes_per_second(5'000'000'000)}));
  EXPECT_EQ(m.path(2, 3), (Path{0, microseconds(9), bytes_per_second(1'000'000'000)}));
}

TEST(ReadSimgrid, TakesCostsOfMessagesFromSmpisProperties) {
  const Machine m = machine_of(
      "<zone id='z' routing='Full'><host id='a' speed='1Gf'>"
      "<prop id='smpi/os' value='0:2e-5:0'/><prop id='smpi/or' value='0:1e-5:8e-9'/>"
      "<prop id='colour' value='blue'/></host></zone>");
  EXPECT_EQ(m.costs(0).send, (Cost{microseconds(20), kUnlimited}));
  EXPECT_EQ(m.costs(0).recv, (Cost{microseconds(10), bits_per_second(1'000'000'000)}));
}

/// Two clusters, each behind a link of its own, and a zone of routers between them.
constexpr const char* kTwoClusters =
    "<zone id='all' routing='Floyd'>"
    "<zone id='core' routing='Full'><router id='r1'/><router id='r2'/>"
    "<link id='trunk' bandwidth='1GBps' latency='700us'/>"
    "<route src='r1' dst='r2'><link_ctn id='trunk'/></route></zone>"
    "<cluster id='x' prefix='x' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='1us' "
    "bb_bw='2GBps' bb_lat='10us'/>"
    "<zone id='wrap' routing='Full'><cluster id='y' prefix='y' suffix='' radical='0-2' speed='1Gf' "
    "bw='1GBps' lat='2us'/></zone>"
    "<link id='to_x' bandwidth='30MBps' latency='100us' sharing_policy='SPLITDUPLEX'/>"
    "<link id='to_y' bandwidth='40MBps' latency='200us'/>"
    "<zoneRoute src='x' dst='core' gw_src='xx_router' gw_dst='r1'>"
    "<link_ctn id='to_x' direction='UP'/></zoneRoute>"
    "<zoneRoute src='wrap' dst='core' gw_src='yy_router' gw_dst='r2'>"
    "<link_ctn id='to_y'/></zoneRoute></zone>";

TEST(ReadSimgrid, LeavesOutZonesOfRoutersAndZonesOfOneMember) {
  const Machine m = machine_of(kTwoClusters);
  ASSERT_EQ(m.clusters().size(), 3u);
  EXPECT_EQ(m.clusters()[1].name, "x");
  EXPECT_EQ(m.clusters()[2].name, "y");
  EXPECT_EQ(m.size(), 5u);
}

TEST(ReadSimgrid, FollowsRoutesThroughGatewaysAndZonesBetween) {
  const Machine m = machine_of(kTwoClusters);
  const Path path = m.path(rank_of(m, "x0"), rank_of(m, "y2"));
  EXPECT_EQ(path.latency, microseconds(1 + 10 + 100 + 700 + 200 + 2));
  EXPECT_EQ(path.bandwidth, bytes_per_second(30'000'000));
  EXPECT_EQ(m.path(rank_of(m, "x0"), rank_of(m, "x1")).latency, microseconds(12));
  EXPECT_EQ(m.path(rank_of(m, "y0"), rank_of(m, "y1")).latency, microseconds(4));
}

TEST(ReadSimgrid, GivesALinkOfOneMemberToItsUplinkAndOneOfAllToTheBackbone) {
  std::string content = "<zone id='z' routing='Full'>";
  for (int i = 0; i < 3; ++i) {
    content += fmt::format(
        "<host id='h{0}' speed='1Gf'/><link id='l{0}' bandwidth='{1}MBps' latency='{1}us'/>", i,
        10 * (i + 1));
  }
  content += "<link id='bus' bandwidth='15MBps' latency='5us'/>";
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    content += fmt::format(
        "<route src='h{0}' dst='h{1}'><link_ctn id='l{0}'/><link_ctn id='bus'/>"
        "<link_ctn id='l{1}'/></route>",
        a, b);
  }
  const Machine m = machine_of(content + "</zone>");
  EXPECT_EQ(m.clusters()[0].channel.backbone, bytes_per_second(15'000'000));
  EXPECT_EQ(m.clusters()[0].channel.latency, microseconds(5));
  EXPECT_EQ(m.clusters()[0].pair_count, 0u);
  EXPECT_EQ(m.leaf_uplink(1), (Uplink{bytes_per_second(20'000'000), bytes_per_second(20'000'000),
                                      true, microseconds(20)}));
}

TEST(ReadSimgrid, NotesALinkThatSomeRoutesShare) {
  std::string content =
      "<zone id='z' routing='Floyd'><router id='left'/><router id='right'/>"
      "<link id='neck' bandwidth='1MBps' latency='1ms'/>"
      "<route src='left' dst='right'><link_ctn id='neck'/></route>";
  for (int i = 0; i < 4; ++i) {
    content += fmt::format(
        "<host id='h{0}' speed='1Gf'/><link id='l{0}' bandwidth='9MBps' latency='1us'/>"
        "<route src='h{0}' dst='{1}'><link_ctn id='l{0}'/></route>",
        i, i < 2 ? "left" : "right");
  }
  const std::vector<std::string> notes = notes_of(content + "</zone>");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("\"neck\" is shared by some of its routes only"), std::string::npos);
}

TEST(ReadSimgrid, NotesRoutesThatATreeCannotHold) {
  // The way back is longer.
  const std::vector<std::string> notes = notes_of(
      "<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
      "<link id='l' bandwidth='1GBps' latency='9us'/><link id='m' bandwidth='1GBps' latency='4us'/>"
      "<route src='a' dst='b' symmetrical='NO'><link_ctn id='l'/></route>"
      "<route src='b' dst='a' symmetrical='NO'><link_ctn id='m'/></route></zone>");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("of 2 looked at 1 differ, from \"b\" to \"a\" 9 us"), std::string::npos)
      << notes[0];
}

TEST(ReadSimgrid, NotesWhatItLeavesOut) {
  const std::string zone = "<zone id='z' routing='Full'><host id='a' speed='1Gf'{}</zone>";
  EXPECT_EQ(notes_of("<config><prop id='x' value='y'/></config>" +
                     fmt::format(fmt::runtime(zone), "/>"))[0],
            "<config> is not taken over");
  EXPECT_NE(notes_of(fmt::format(fmt::runtime(zone), " state_file='f'/>"))[0].find("profiles"),
            std::string::npos);
  EXPECT_NE(notes_of(fmt::format(fmt::runtime(zone), "><disk id='d'/></host>"))[0].find("disks"),
            std::string::npos);
  EXPECT_NE(
      notes_of(fmt::format(fmt::runtime(zone), "/>") + "<actor host='a' function='f'/>")[0].find(
          "deployment"),
      std::string::npos);
}

TEST(ReadSimgrid, MakesNamesPlain) {
  const auto loaded = read_simgrid(
      platform("<zone id='z' routing='Full'><host id='n[0-3]' speed='1Gf'/></zone>"), "");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->machine.size(), 1u);
  EXPECT_EQ(loaded->machine.leaf_name(0), "n_0-3_");
  EXPECT_EQ(loaded->notes.size(), 1u);
}

/// The oracle is the list of links that the test itself made.
TEST(ReadSimgridProperty, AddsUpLatenciesAndFindsTheNarrowestLinkOfEveryRoute) {
  for_all_seeds(500, [](Random& rng) {
    const std::int64_t hosts = rng.between(2, 7);
    const std::int64_t links = rng.between(1, 10);
    std::vector<Time> latencies;
    std::vector<Bandwidth> bandwidths;
    std::string content = "<zone id='z' routing='Full'>\n";
    for (std::int64_t h = 0; h < hosts; ++h) {
      content += fmt::format("<host id='h{}' speed='1Gf'/>\n", h);
    }
    for (std::int64_t l = 0; l < links; ++l) {
      latencies.push_back(Time{rng.between(0, 1'000'000)});
      bandwidths.push_back(Bandwidth{static_cast<std::uint64_t>(rng.between(1, 1'000'000))});
      content +=
          fmt::format("<link id='l{}' bandwidth='{}bps' latency='{}ps' sharing_policy='{}'/>\n", l,
                      bandwidths.back().bits_per_second, latencies.back().picoseconds,
                      rng.chance(25) ? "FATPIPE" : "SHARED");
    }
    std::vector<Path> expected;
    for (std::int64_t a = 0; a < hosts; ++a) {
      for (std::int64_t b = a + 1; b < hosts; ++b) {
        Path path;
        content += fmt::format("<route src='h{}' dst='h{}'>", a, b);
        for (std::int64_t n = rng.between(1, 5); n > 0; --n) {
          const auto l = static_cast<std::size_t>(rng.between(0, links - 1));
          content += fmt::format("<link_ctn id='l{}'/>", l);
          path.latency += latencies[l];
          path.bandwidth = std::min(path.bandwidth, bandwidths[l]);
        }
        content += "</route>\n";
        expected.push_back(path);
      }
    }
    const auto loaded = read_simgrid(platform(content + "</zone>"), "p.xml");
    ASSERT_TRUE(loaded) << loaded.error();
    std::size_t next = 0;
    for (Rank a = 0; a < hosts; ++a) {
      for (Rank b = a + 1; b < hosts; ++b, ++next) {
        ASSERT_EQ(loaded->machine.path(a, b), expected[next]) << a << " to " << b << content;
        ASSERT_EQ(loaded->machine.path(b, a), expected[next]) << b << " to " << a << content;
      }
    }
  });
}

struct SimgridRefusal {
  const char* content;
  const char* where;
  const char* what;
};

TEST(ReadSimgrid, RefusesWithPlaceAndReason) {
  const SimgridRefusal refusals[] = {
      {"<zone id='z' routing='Full'>", "p.xml:3", "not XML"},
      {"", "p.xml:1", "no zone"},
      {"<zone id='z' routing='Full'/>", "p.xml:2", "no hosts"},
      {"<zone routing='Full'/>", "p.xml:2", "has no \"id\""},
      {"<zone id='z' routing='Magic'/>", "p.xml:2", "routing \"Magic\""},
      {"<zone id='z' routing='Vivaldi'/>", "p.xml:2", "gives no routes"},
      {"<zone id='z' routing='Full'/>\n<zone id='y' routing='Full'/>", "p.xml:3",
       "second outermost"},
      {"<zone id='z' routing='Full'>\n<hots id='a'/></zone>", "p.xml:3", "found <hots>"},
      {"<include file='x.xml'/>", "p.xml:2", "found <include>"},
      {"<zone id='z' routing='Full'>\n<peer id='a'/></zone>", "p.xml:3", "a <peer>"},
      {"<zone id='z' routing='Full'>\n<host id='a' power='1'/></zone>", "p.xml:3", "no \"speed\""},
      {"<zone id='z' routing='Full'>\n<host id='a' speed='fast'/></zone>", "p.xml:3",
       "speed of <host>: \"fast\" is not a speed"},
      {"<zone id='z' routing='Full'>\n<host id='a' speed='1Gf' core='0'/></zone>", "p.xml:3",
       "core of <host>"},
      {"<zone id='z' routing='Full'><host id='a' speed='1Gf'/>\n<router id='a'/></zone>", "p.xml:3",
       "a second host, router or zone called \"a\"; the first is on line 2"},
      {"<zone id='z' routing='Full'>\n<link id='l' bandwidth='0Bps'/></zone>", "p.xml:3",
       "bandwidth of <link>"},
      {"<zone id='z' routing='Full'>\n<link id='l' bandwidth='1Bps' latency='-1s'/></zone>",
       "p.xml:3", "latency of <link>"},
      {"<zone id='z' routing='Full'><link id='l' bandwidth='1Bps'/>\n<link id='l' "
       "bandwidth='1Bps'/></zone>",
       "p.xml:3", "second link"},
      {"<zone id='z' routing='Full'>\n<link id='l' bandwidth='1Bps' sharing_policy='NONE'/></zone>",
       "p.xml:3", "sharing_policy \"NONE\""},
      {"<zone id='z' routing='Full'><host id='a' speed='1Gf'/>\n<host id='b' speed='1Gf'/></zone>",
       "p.xml:2", "no route from \"a\" to \"b\" in zone \"z\""},
      {"<zone id='z' routing='Floyd'><host id='a' speed='1Gf'/>\n<host id='b' speed='1Gf'/></zone>",
       "p.xml:2", "no route from \"a\" to \"b\""},
      {"<zone id='z' routing='Full'><host id='a' speed='1Gf'/>\n"
       "<route src='a' dst='q'/></zone>",
       "p.xml:3", "dst \"q\" is not in zone \"z\""},
      {"<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
       "<route src='a' dst='b'>\n<link_ctn id='l'/></route></zone>",
       "p.xml:3", "no link \"l\""},
      {"<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
       "<link id='l' bandwidth='1Bps' sharing_policy='SPLITDUPLEX'/>"
       "<route src='a' dst='b'>\n<link_ctn id='l'/></route></zone>",
       "p.xml:3", "no link \"l\""},
      {"<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
       "<link id='l' bandwidth='1Bps'/><route src='a' dst='b'><link_ctn id='l'/></route>\n"
       "<route src='b' dst='a'><link_ctn id='l'/></route></zone>",
       "p.xml:3", "a second route from"},
      {"<zone id='z' routing='Cluster'><host id='a' speed='1Gf'/>\n"
       "<host_link id='a' up='u' down='d'/></zone>",
       "p.xml:3", "up: no link \"u\""},
      {"<zone id='z' routing='Full'>\n<backbone id='b' bandwidth='1Bps' latency='0'/></zone>",
       "p.xml:3", "a <backbone> in a zone that is no cluster"},
      {"<zone id='o' routing='Full'><zone id='z' routing='Full'><host id='a' speed='1Gf'/></zone>"
       "<zone id='y' routing='Full'><host id='b' speed='1Gf'/></zone>\n"
       "<zoneRoute src='z' dst='y' gw_src='b' gw_dst='b'/></zone>",
       "p.xml:3", "gw_src \"b\" is no host or router in zone \"z\""},
      {"<zone id='o' routing='Full'><zone id='z' routing='Full'><host id='a' speed='1Gf'/></zone>"
       "<zone id='y' routing='Full'><host id='b' speed='1Gf'/></zone>\n"
       "<zoneRoute src='z' dst='y' gw_dst='b'/></zone>",
       "p.xml:3", "has no \"gw_src\""},
      {"<cluster id='c' prefix='' suffix='' radical='9-1' speed='1Gf' bw='1Bps' lat='0'/>",
       "p.xml:2", "radical of <cluster>"},
      {"<cluster id='c' prefix='' suffix='' radical='0-3' speed='1Gf' bw='1Bps' lat='0' "
       "topology='DRAGONFLY'/>",
       "p.xml:2", "DRAGONFLY"},
      {"<cluster id='c' prefix='' suffix='' radical='0-3' speed='1Gf' bw='1Bps' lat='0' "
       "topology='TORUS' topo_parameters='2,3'/>",
       "p.xml:2", "gives 4 hosts, topo_parameters \"2,3\" make 6"},
      {"<cluster id='c' prefix='' suffix='' radical='0-3' speed='1Gf' bw='1Bps' lat='0' "
       "topology='FAT_TREE' topo_parameters='2;2,2;1,1'/>",
       "p.xml:2", "topo_parameters"},
  };
  for (const SimgridRefusal& refusal : refusals) {
    const auto loaded = read_simgrid(platform(refusal.content), "p.xml");
    ASSERT_FALSE(loaded) << refusal.content;
    EXPECT_EQ(loaded.error().where, refusal.where) << refusal.content << loaded.error();
    EXPECT_NE(loaded.error().what.find(refusal.what), std::string::npos) << loaded.error();
  }
}

TEST(ReadSimgrid, RefusesOtherVersionsAndOtherFiles) {
  EXPECT_NE(read_simgrid("<platform version='3'/>", "f").error().hint.find("simgrid_update_xml"),
            std::string::npos);
  EXPECT_EQ(read_simgrid("<topology/>", "f").error().what, "found <topology>");
  EXPECT_FALSE(read_simgrid("", "f"));
  EXPECT_FALSE(read_simgrid("{}", "f"));
}

TEST(ReadSimgrid, RefusesWhatIsTooLargeBeforeItMakesIt) {
  const auto cluster = [](const char* radical, const char* more) {
    return platform(fmt::format(
        "<cluster id='c' prefix='' suffix='' radical='{}' speed='1Gf' bw='1Bps' lat='0' {}/>",
        radical, more));
  };
  EXPECT_FALSE(read_simgrid(cluster("0-2147483647", ""), "f"));
  EXPECT_FALSE(read_simgrid(cluster("0-99999", "core='4000000'"), "f"));
  EXPECT_FALSE(read_simgrid(cluster("0-99999", "topology='TORUS' topo_parameters='100000'"), "f"));
  EXPECT_FALSE(read_simgrid(
      cluster("0-1048575", "topology='FAT_TREE' topo_parameters='1;9999999;1;1'"), "f"));
}

TEST(ReadSimgrid, RefusesZonesNestedWithoutEnd) {
  std::string open, close;
  for (int i = 0; i < 20'000; ++i) {
    open += fmt::format("<zone id='{}' routing='Full'>", i);
    close += "</zone>";
  }
  const auto loaded = read_simgrid(platform(open + close), "f");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("nested"), std::string::npos);
}

TEST(ReadSimgrid, RefusesMoreRoutesThanItCanFollow) {
  std::string content = "<zone id='z' routing='Dijkstra'><link id='l' bandwidth='1Bps'/>";
  for (int i = 0; i < 1000; ++i) {
    content += fmt::format("<host id='h{}' speed='1Gf'/>", i);
    if (i == 0) continue;
    content += fmt::format("<route src='h{}' dst='h{}'><link_ctn id='l'/></route>", i - 1, i);
  }
  const auto loaded = read_simgrid(platform(content + "</zone>"), "f");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("too many or too long"), std::string::npos);
}

TEST(ReadSimgrid, GivesEveryErrorAHintAndNoStrayBytes) {
  const auto loaded = read_simgrid(
      "<platform version='4.1'><zone id='z' routing='Full'>\n<host id='a' speed='1Gf' core='\xff'/>"
      "</zone></platform>",
      "f.xml");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().where, "f.xml:2");
  EXPECT_FALSE(loaded.error().hint.empty());
  EXPECT_EQ(loaded.error().what.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace espalier::topology
