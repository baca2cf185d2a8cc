#include "overlay/links.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/outline.hpp"

namespace espalier::overlay {
namespace {

/// The part of the machine at a level that a rank is in: a cluster, or the process itself.
std::string part_name(const topology::Machine& machine, Rank rank, std::uint32_t level) {
  const std::vector<topology::ClusterId> clusters = machine.clusters_of(rank);
  if (level >= clusters.size()) return fmt::format("rank {}", rank);
  const topology::Cluster& cluster = machine.clusters()[clusters[level]];
  const std::string noun = report::noun(machine, level, false);
  if (!cluster.name.empty()) return cluster.name;
  return fmt::format("{} {}", noun, machine.cluster_ids(rank)[level]);
}

}  // namespace

std::string link_name(const topology::Machine& machine, Rank a, Rank b) {
  const std::uint32_t level = machine.path(a, b).level;
  if (machine.leaf_of(b) < machine.leaf_of(a)) std::swap(a, b);
  return fmt::format("{} - {}", part_name(machine, a, level), part_name(machine, b, level));
}

std::uint32_t LinkSums::add(const std::string& name, std::uint32_t level, Time excess) {
  auto it = std::find_if(sums_.begin(), sums_.end(),
                         [&](const Sum& sum) { return sum.level == level && sum.name == name; });
  if (it == sums_.end()) it = sums_.insert(sums_.end(), {name, level, {}});
  it->excess.push_back(excess);
  return static_cast<std::uint32_t>(it - sums_.begin());
}

std::vector<Link> LinkSums::links() const {
  std::vector<Link> result;
  for (const Sum& sum : sums_) {
    std::vector<Time> sorted = sum.excess;
    std::sort(sorted.begin(), sorted.end());
    result.push_back(
        {sum.name, sum.level, sorted.size(), sorted[(sorted.size() - 1) / 2], sorted.back()});
  }
  return result;
}

}  // namespace espalier::overlay
