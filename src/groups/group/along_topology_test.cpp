#include "group/along_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/contract.hpp"
#include "group/experiment.hpp"
#include "model/machine_models.hpp"
#include "support/for_all_seeds.hpp"
#include "support/group_network.hpp"
#include "topology/readers.hpp"

namespace espalier::group {
namespace {

using testing_support::AnyOrderNetwork;
using testing_support::check_group;
using testing_support::check_routes;
using testing_support::GroupRun;
using testing_support::world;

using Path = std::vector<std::uint32_t>;

Words words_of(const Path& path) {
  Words words;
  words.append(path);
  return words;
}

/// Up to three levels; some processes lie directly in an outer cluster.
Path random_path(Random& rng) {
  Path path;
  const auto levels = rng.chance(15) ? rng.between(0, 3) : 3;
  for (std::int64_t l = 0; l < levels; ++l) {
    path.push_back(static_cast<std::uint32_t>(rng.below(l == 1 ? 9 : 3)));
  }
  return path;
}

/// What is wrong with a tree as one that follows the topology, or nothing.
/// @param parent by rank; the root's is kNoRank
std::string check_topology(const std::vector<Path>& paths, const std::vector<Rank>& parent,
                           Rank degree) {
  const auto size = static_cast<Rank>(paths.size());
  for (std::size_t levels = 1; levels <= 3; ++levels) {
    std::map<Path, std::vector<Rank>> clusters;
    for (Rank r = 0; r < size; ++r) {
      Path outer = paths[r];
      outer.resize(levels, kNoRank);
      clusters[outer].push_back(r);
    }
    for (const auto& [name, ranks] : clusters) {
      if (ranks.back() - ranks.front() + 1 != ranks.size()) return "a cluster's ranks have gaps";
      std::map<Rank, std::uint32_t> depth;
      for (const Rank r : ranks) {
        const bool inside = r != ranks.front();
        if (inside && !depth.contains(parent[r])) return "a cluster is in pieces";
        if (!inside && parent[r] != kNoRank && parent[r] >= r) return "ranks are not depth-first";
        depth[r] = inside ? depth[parent[r]] + 1 : 0;
      }
      if (levels < 3) continue;
      std::uint32_t height = 0, outside = 0;
      for (const auto& [r, d] : depth) height = std::max(height, d + 1);
      for (Rank r = 0; r < size; ++r) {
        outside += parent[r] != kNoRank && depth.contains(parent[r]) && !depth.contains(r) ? 1 : 0;
      }
      const std::uint32_t least = least_levels(static_cast<Rank>(ranks.size()), degree);
      if (height > least + (outside > 0 ? 1 : 0)) return "a cluster's tree is too high";
    }
  }
  return "";
}

/// By rank.
struct Made {
  std::vector<Path> paths;
  std::vector<Rank> parent;
};

TEST(ClusterShapeProperty, EveryClusterIsOneSubTree) {
  for_all_seeds(3000, [](Random& rng) {
    const auto degree = static_cast<Rank>(rng.between(2, 5));
    std::set<Path> names;
    for (auto i = rng.between(0, 40); i > 0; --i) names.insert(random_path(rng));
    std::vector<ClusterCount> clusters;
    Rank total = 0;
    for (const Path& name : names) {
      clusters.push_back({words_of(name), static_cast<Rank>(rng.between(1, 30))});
      total += clusters.back().count;
    }
    std::sort(clusters.begin(), clusters.end(), [](const ClusterCount& a, const ClusterCount& b) {
      return lies_before(a.path, b.path);
    });
    const auto spots = arrange_clusters(clusters, degree);
    std::map<Rank, Vertex> tree;
    Made made{std::vector<Path>(total), std::vector<Rank>(total)};
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      for (Rank offset = 0; offset < clusters[i].count; ++offset) {
        const Vertex vertex = vertex_at(spots[i], offset, degree);
        ASSERT_TRUE(tree.emplace(vertex.rank, vertex).second) << "a rank twice";
        ASSERT_LT(vertex.rank, total);
        made.paths[vertex.rank] = Path(clusters[i].path.begin(), clusters[i].path.end());
        made.parent[vertex.rank] = vertex.parent;
      }
    }
    for (const auto& [rank, vertex] : tree) {
      ASSERT_LE(vertex.children.size(), degree);
      for (std::size_t c = 0; c < vertex.children.size(); ++c) {
        const Vertex& child = tree.at(vertex.children[c].first);
        ASSERT_EQ(child.parent, rank);
        ASSERT_EQ(child.slot, c + 1);
        ASSERT_EQ(child.depth, vertex.depth + 1);
      }
    }
    ASSERT_EQ(check_topology(made.paths, made.parent, degree), "");
  });
}

/// With so many names of each path there are no more clusters than `most`.
std::size_t names_that_count(const std::map<Id, GroupView>& views, const std::map<Id, Path>& path,
                             std::size_t most) {
  for (std::size_t names = 3; names > 0; --names) {
    std::set<Path> clusters;
    for (const auto& [id, view] : views) {
      Path outer = path.at(id);
      outer.resize(std::min(outer.size(), names));
      clusters.insert(outer);
    }
    if (clusters.size() <= most) return names;
  }
  return 0;
}

void expect_along(Random& rng, const std::map<Id, GroupView>& parents,
                  std::map<Id, GroupView>& views) {
  const auto degree = static_cast<Rank>(rng.between(2, 4));
  std::map<Id, Path> path;
  std::map<Id, Colour> colour;
  const auto percent = static_cast<unsigned>(rng.between(0, 110));
  for (const auto& [id, view] : parents) {
    path[id] = random_path(rng);
    colour[id] = rng.chance(percent) ? Colour{0} : kNoColour;
  }
  const auto colour_of = [&](Id id) { return colour.at(id); };
  AnyOrderNetwork network(rng.next());
  const auto most = static_cast<std::uint32_t>(rng.chance(50) ? 256 : rng.between(1, 20));
  GroupRun run(Scheme::AlongTopology, parents,
               {.degree = degree, .routable = rng.chance(50), .most_clusters = most}, 9,
               [&](Id id) { return words_of(path.at(id)); });
  run.enter(network, colour_of);
  network.run([&](const Message& m, Endpoint& e) { run.receive(m, e); });
  ASSERT_EQ(run.not_done(), std::nullopt);
  views = run.views(0, colour_of);
  ASSERT_EQ(check_group(views, degree, 1000), "");
  ASSERT_EQ(check_routes(views), "");
  const std::size_t names = names_that_count(views, path, most);
  Made made{std::vector<Path>(views.size()), std::vector<Rank>(views.size(), kNoRank)};
  for (const auto& [id, view] : views) {
    made.paths[view.rank] = path.at(id);
    made.paths[view.rank].resize(std::min(path.at(id).size(), names));
    if (view.parent != kNobody) made.parent[view.rank] = views.at(view.parent).rank;
    Rank next = view.rank + 1;  // depth-first, as `below` says
    for (std::uint32_t c = 0; c < view.children.size(); next += view.below[c++]) {
      ASSERT_EQ(views.at(view.children[c]).rank, next);
    }
  }
  ASSERT_EQ(check_topology(made.paths, made.parent, degree), "");
}

TEST(AlongTopologyProperty, SpansTheMembersInAnyOrderOfMessages) {
  for_all_seeds(1500, [](Random& rng) {
    std::map<Id, GroupView> views;
    expect_along(rng, world(static_cast<Rank>(rng.between(1, 120)), 3), views);
  });
}

TEST(AlongTopologyProperty, Nests) {
  for_all_seeds(300, [](Random& rng) {
    std::map<Id, GroupView> parents = world(static_cast<Rank>(rng.between(2, 80)), 2), views;
    for (int depth = 0; depth < 3 && !parents.empty(); ++depth) {
      expect_along(rng, parents, views);
      parents = views;
    }
  });
}

TEST(AlongTopology, CrossesBetweenSitesOnceASite) {
  std::vector<ClusterCount> clusters;
  for (std::uint32_t site = 0; site < 4; ++site) {
    for (std::uint32_t node = 0; node < 8; ++node) clusters.push_back({Words{site, node}, 16});
  }
  const auto spots = arrange_clusters(clusters, 3);
  Rank between_sites = 0;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (spots[i].above == kNoRank) continue;
    const auto owner = std::find_if(spots.begin(), spots.end(), [&](const ClusterSpot& spot) {
      return spots[i].above == spot.first + spot.size - 1;
    });
    between_sites += clusters[i].path[0] != clusters[std::size_t(owner - spots.begin())].path[0];
  }
  EXPECT_EQ(between_sites, 3U);
}

/// Most bytes of a process if all processes of four sites join, two on each node.
std::size_t most_bytes(Rank nodes_a_site) {
  Experiment experiment;
  experiment.processes = 8 * nodes_a_site;
  experiment.degree = 3;
  experiment.path_of = [=](Id id) { return Words{id / 2 / nodes_a_site, id / 2 % nodes_a_site}; };
  const auto machine =
      topology::parse_synthetic("proc:" + std::to_string(experiment.processes) + "(1us)").value();
  return measure(Scheme::AlongTopology, experiment, model::Levels(machine)).memory.peak;
}

TEST(AlongTopology, NoProcessHoldsMoreWhereThereAreMoreNodes) {
  const std::size_t few = most_bytes(64);
  EXPECT_LE(most_bytes(512), few);
  EXPECT_LE(most_bytes(2048), few);
}

TEST(AlongTopology, RefusesAChain) {
  const GroupView view = world_view(0, 3, 2);
  EXPECT_THROW((void)make_construction(Scheme::AlongTopology, 1, view, {.degree = 1}),
               ContractViolation);
  EXPECT_THROW((void)arrange_clusters({}, 1), ContractViolation);
  EXPECT_THROW((void)vertex_at(ClusterSpot{}, 0, 2), ContractViolation);
}

}  // namespace
}  // namespace espalier::group
