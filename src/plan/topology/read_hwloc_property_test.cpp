// The oracle is hwloc itself: it makes a random node, cuts CPUs out of it, exports it, and is asked
// for every pair of cores how many cores the smallest object around both holds.
#include <gtest/gtest.h>
#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <set>

#include "support/for_all_seeds.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Node = std::unique_ptr<hwloc_topology, Destroy>;

/// "pack:2 numa:2 l2:1 core:3 pu:2", with any of the levels left out.
std::string random_description(Random& rng) {
  std::string text;
  for (const char* type : {"pack", "die", "numa", "group", "l3", "l2"}) {
    if (rng.chance(50)) text += std::string(type) + ":" + std::to_string(rng.between(1, 3)) + " ";
  }
  return text + "core:" + std::to_string(rng.between(1, 4)) +
         " pu:" + std::to_string(rng.between(1, 2));
}

Node random_node(Random& rng, const std::string& description) {
  hwloc_topology_t raw = nullptr;
  hwloc_topology_init(&raw);
  Node node(raw);
  EXPECT_EQ(hwloc_topology_set_synthetic(raw, description.c_str()), 0) << description;
  EXPECT_EQ(hwloc_topology_load(raw), 0) << description;
  if (rng.chance(50)) {
    hwloc_bitmap_t keep = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(raw));
    for (int cpu = hwloc_bitmap_first(keep); cpu >= 0; cpu = hwloc_bitmap_next(keep, cpu)) {
      if (rng.chance(40)) hwloc_bitmap_clr(keep, static_cast<unsigned>(cpu));
    }
    if (hwloc_bitmap_iszero(keep) == 0) hwloc_topology_restrict(raw, keep, 0);
    hwloc_bitmap_free(keep);
  }
  return node;
}

std::string exported(const Node& node, unsigned long flags) {
  char* text = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(node.get(), &text, &length, flags), 0);
  std::string copy = text;
  hwloc_free_xmlbuffer(node.get(), text);
  return copy;
}

/// The cores of every object, memory among them, that holds any.
std::vector<std::set<int>> core_sets(const Node& node) {
  std::vector<std::set<int>> sets;
  const int cores = hwloc_get_nbobjs_by_type(node.get(), HWLOC_OBJ_CORE);
  const auto add = [&](hwloc_const_cpuset_t cpus) {
    std::set<int> inside;
    for (int c = 0; c < cores; ++c) {
      const auto* core =
          hwloc_get_obj_by_type(node.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(c));
      if (hwloc_bitmap_intersects(core->cpuset, cpus) != 0) inside.insert(c);
    }
    sets.push_back(std::move(inside));
  };
  std::vector<int> depths = {HWLOC_TYPE_DEPTH_NUMANODE};
  for (int d = 0; d < hwloc_topology_get_depth(node.get()); ++d) depths.push_back(d);
  for (const int depth : depths) {
    for (unsigned i = 0; i < hwloc_get_nbobjs_by_depth(node.get(), depth); ++i) {
      add(hwloc_get_obj_by_depth(node.get(), depth, i)->cpuset);
    }
  }
  return sets;
}

std::size_t smallest_around(const std::vector<std::set<int>>& sets, int a, int b) {
  std::size_t smallest = SIZE_MAX;
  for (const auto& set : sets) {
    if (set.contains(a) && set.contains(b)) smallest = std::min(smallest, set.size());
  }
  return smallest;
}

/// The number of processes in the innermost cluster that holds both.
std::size_t meeting_size(const Machine& machine, Rank a, Rank b) {
  std::size_t size = machine.size();
  const auto of_b = machine.clusters_of(b);
  for (const ClusterId cluster : machine.clusters_of(a)) {
    if (std::find(of_b.begin(), of_b.end(), cluster) == of_b.end()) break;
    size = machine.clusters()[cluster].leaf_count;
  }
  return size;
}

/// Every cluster kind divides something, somewhere.
bool has_no_idle_level(const Machine& machine) {
  for (std::uint32_t level = 1; level < machine.levels().size(); ++level) {
    bool divides = false;
    for (const Cluster& cluster : machine.clusters()) {
      if (cluster.depth == level && cluster.member_count > 1) divides = true;
    }
    if (!divides) return false;
  }
  return true;
}

TEST(ReadHwlocProperty, CoresMeetInTheSmallestObjectThatHwlocHasAroundThem) {
  for_all_seeds(150, [](Random& rng) {
    const std::string description = random_description(rng);
    SCOPED_TRACE(description);
    const Node node = random_node(rng, description);
    for (const unsigned long flags : {0UL, 0UL + HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V1}) {
      const auto loaded = read_hwloc(exported(node, flags), "export");
      ASSERT_TRUE(loaded) << loaded.error();
      const Machine& machine = loaded->machine;
      const auto sets = core_sets(node);
      ASSERT_EQ(static_cast<int>(machine.size()),
                hwloc_get_nbobjs_by_type(node.get(), HWLOC_OBJ_CORE));
      ASSERT_TRUE(has_no_idle_level(machine));
      for (Rank a = 0; a < machine.size(); ++a) {
        for (Rank b = a + 1; b < machine.size(); b += 1 + b / 16) {
          ASSERT_EQ(meeting_size(machine, a, b),
                    smallest_around(sets, static_cast<int>(a), static_cast<int>(b)))
              << "cores " << a << " and " << b;
        }
      }
    }
  });
}

}  // namespace
}  // namespace espalier::topology
