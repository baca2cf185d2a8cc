#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/for_all_seeds.hpp"
#include "support/long_run.hpp"
#include "support/random_spec.hpp"
#include "topology/readers.hpp"
#include "topology/simgrid/read_platform.hpp"
#include "topology/simgrid/routes.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

struct Figures {
  double latency = 0;
  double bandwidth = 0;  ///< bytes a second
};
using RoutesByHosts = std::map<std::pair<std::string, std::string>, Figures>;

/// What SimGrid says of a platform.
RoutesByHosts simgrid_routes(const std::string& path) {
  // SimGrid leaks a little; that is not what is tested here.
  const std::string command =
      fmt::format("ASAN_OPTIONS=detect_leaks=0 {} {}", ESPALIER_PRINT_ROUTES, path);
  RoutesByHosts routes;
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    std::istringstream line(buffer);
    std::string from, to;
    Figures figures;
    std::getline(line, from, '\t');
    std::getline(line, to, '\t');
    line >> figures.latency >> figures.bandwidth;
    routes[{from, to}] = figures;
  }
  EXPECT_EQ(pclose(pipe), 0) << "SimGrid does not load " << path;
  return routes;
}

RoutesByHosts simgrid_routes_of_text(const std::string& text) {
  std::string directory = std::filesystem::temp_directory_path() / "espalier-XXXXXX";
  EXPECT_NE(mkdtemp(directory.data()), nullptr);
  const std::string path = directory + "/platform.xml";
  std::ofstream(path) << text;
  RoutesByHosts routes = simgrid_routes(path);
  std::filesystem::remove_all(directory);
  return routes;
}

/// SimGrid counts in doubles; ours are whole picoseconds and bits a second.
void expect_same(const Figures& simgrid, Time latency, Bandwidth bandwidth,
                 const std::string& what) {
  ASSERT_NEAR(simgrid.latency, to_seconds(latency), 1e-12 + 1e-9 * simgrid.latency) << what;
  if (bandwidth.unlimited()) {
    ASSERT_GT(simgrid.bandwidth, 5e17) << what;
    return;
  }
  const double bytes = static_cast<double>(bandwidth.bits_per_second) / 8;
  ASSERT_NEAR(simgrid.bandwidth, bytes, 1e-9 * bytes) << what;
}

/// The first process of each host, by the host's name.
std::map<std::string, Rank> ranks_of_hosts(const Machine& machine) {
  std::map<std::string, Rank> ranks;
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    const std::string& own = machine.leaf_name(leaf);
    const std::string& node = machine.clusters()[machine.cluster_of(leaf)].name;
    if (own.empty() && machine.index_in_cluster(leaf) > 0) continue;
    ranks[own.empty() ? node : own] = machine.rank_at(leaf);
  }
  return ranks;
}

std::string read_sample(const std::string& name) {
  const std::string path = fmt::format("{}/tests/data/simgrid/{}.xml", ESPALIER_SOURCE_DIR, name);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class SimgridSample : public testing::TestWithParam<const char*> {};

TEST_P(SimgridSample, HasTheRoutesThatSimgridFindsInIt) {
  const std::string text = read_sample(GetParam());
  const auto loaded = read_simgrid(text, GetParam());
  ASSERT_TRUE(loaded) << loaded.error();
  for (const std::string& note : loaded->notes) {
    EXPECT_EQ(note.find("cannot hold"), std::string::npos) << note;
  }
  const std::map<std::string, Rank> ranks = ranks_of_hosts(loaded->machine);
  const RoutesByHosts routes = simgrid_routes_of_text(text);
  ASSERT_EQ(routes.size(), ranks.size() * (ranks.size() - 1));
  for (const auto& [hosts, figures] : routes) {
    ASSERT_TRUE(ranks.contains(hosts.first) && ranks.contains(hosts.second)) << hosts.first;
    const Path path = loaded->machine.path(ranks.at(hosts.first), ranks.at(hosts.second));
    expect_same(figures, path.latency, path.bandwidth, hosts.first + " to " + hosts.second);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimgridSample,
                         testing::Values("two_sites", "switches", "switches_floyd", "caps",
                                         "irregular_cluster", "fat_tree", "torus"),
                         [](const auto& tested) { return std::string(tested.param); });

void expect_simgrid_agrees(const Machine& machine, const std::string& text) {
  const std::vector<std::string> hosts = simgrid_hosts(machine);
  const RoutesByHosts routes = simgrid_routes_of_text(text);
  ASSERT_EQ(routes.size(), std::size_t{machine.size()} * (machine.size() - 1)) << text;
  for (Rank from = 0; from < machine.size(); ++from) {
    for (Rank to = 0; to < machine.size(); ++to) {
      if (from == to) continue;
      const Path path = machine.path(from, to);
      ASSERT_TRUE(routes.contains({hosts[from], hosts[to]})) << hosts[from] << text;
      expect_same(routes.at({hosts[from], hosts[to]}), path.latency, path.bandwidth,
                  fmt::format("{} to {}", hosts[from], hosts[to]));
    }
  }
}

void expect_simgrid_agrees(const Machine& machine) {
  expect_simgrid_agrees(machine, write_simgrid(machine));
  expect_simgrid_agrees(machine, write_simgrid_pairs(machine));
}

TEST(WrittenForSimgridProperty, HasThePathsOfTheMachineAsItsRoutes) {
  for_all_seeds(is_long_run() ? 40 : 12, [](Random& rng) {
    const auto machine = build_machine(RandomSpec(rng).make());
    ASSERT_TRUE(machine) << machine.error();
    expect_simgrid_agrees(*machine);
  });
}

/// Enough members for a star, and for routers with many ways round them.
TEST(WrittenForSimgrid, KeepsThePathsOfLargeClusters) {
  for (const bool with_pairs : {false, true}) {
    for (const bool capped : {false, true}) {
      MachineSpec spec;
      spec.where = "test";
      for (const char* name : {"x", "y"}) {
        MemberSpec cluster;
        cluster.name = name;
        cluster.channel.latency = microseconds(20);
        cluster.channel.backbone = bits_per_second(7'000'000'000);
        if (capped) cluster.channel.flow_cap = bits_per_second(3'000'000'000);
        cluster.uplink = Uplink{kUnlimited, kUnlimited, false, microseconds(30)};
        MemberSpec process;
        process.count = 40;
        process.uplink = Uplink{bytes_per_second(125'000'000), bytes_per_second(125'000'000), false,
                                microseconds(3)};
        cluster.members = {process};
        if (with_pairs) {
          for (const char* other : {"1", "2", "39"}) {
            cluster.pairs.push_back({"", "0", other, microseconds(1), bytes_per_second(9'000'000)});
          }
          cluster.pairs.push_back({"", "1", "2", microseconds(2), kUnlimited});
        }
        spec.whole.members.push_back(cluster);
      }
      expect_simgrid_agrees(*build_machine(spec));
    }
  }
}

/// Hosts and routers joined at random, so that many ways are equally short.
std::string random_graph(Random& rng, const char* routing) {
  const std::int64_t hosts = rng.between(2, 8);
  const std::int64_t points = hosts + rng.between(0, 8);
  std::string text = fmt::format(
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"{}\">\n",
      routing);
  for (std::int64_t p = 0; p < points; ++p) {
    text += p < hosts ? fmt::format("<host id=\"p{}\" speed=\"1Gf\"/>\n", p)
                      : fmt::format("<router id=\"p{}\"/>\n", p);
  }
  const std::int64_t links = 2 * points;
  for (std::int64_t l = 0; l < links; ++l) {
    text += fmt::format(
        "<link id=\"l{}\" bandwidth=\"{}kBps\" latency=\"{}us\" sharing_policy=\"{}\"/>\n", l,
        rng.between(1, 1000), rng.between(0, 1000), rng.chance(20) ? "FATPIPE" : "SHARED");
  }
  std::map<std::pair<std::int64_t, std::int64_t>, bool> joined;
  for (std::int64_t i = 0; i < 2 * points; ++i) {
    // The first ones make it one piece.
    const std::int64_t b = i + 1 < points ? i + 1 : rng.between(1, points - 1);
    const std::int64_t a = rng.between(0, b - 1);
    if (!joined.emplace(std::pair(a, b), true).second) continue;
    text += fmt::format("<route src=\"p{}\" dst=\"p{}\">", a, b);
    for (std::int64_t n = rng.between(1, 2); n > 0; --n) {
      text += fmt::format("<link_ctn id=\"l{}\"/>", rng.between(0, links - 1));
    }
    text += "</route>\n";
  }
  return text + "</zone></platform>\n";
}

TEST(SimgridRoutesProperty, BreaksTiesBetweenShortestWaysAsSimgridDoes) {
  for_all_seeds(30, [](Random& rng) {
    const std::string text = random_graph(rng, rng.chance(50) ? "Floyd" : "Dijkstra");
    const auto platform = simgrid::read_platform(text, "random.xml");
    ASSERT_TRUE(platform) << platform.error() << text;
    simgrid::Routes routes(*platform);
    std::map<std::string, simgrid::PointId> points;
    for (simgrid::PointId p = 0; p < platform->points.size(); ++p) {
      points[platform->points[p].name] = p;
    }
    for (const auto& [hosts, figures] : simgrid_routes_of_text(text)) {
      std::vector<simgrid::LinkId> links;
      ASSERT_TRUE(routes.between(points.at(hosts.first), points.at(hosts.second), links)) << text;
      Time latency;
      Bandwidth bandwidth = kUnlimited;
      for (const simgrid::LinkId id : links) {
        latency += platform->links[id].latency;
        bandwidth = std::min(bandwidth, platform->links[id].bandwidth);
      }
      expect_same(figures, latency, bandwidth, hosts.first + " to " + hosts.second + text);
    }
  });
}

}  // namespace
}  // namespace espalier::topology
