#include <algorithm>

#include "discover/discovered.hpp"

namespace espalier::discover {
namespace {

using topology::Cluster;
using topology::Leaf;
using topology::Machine;
using topology::MemberSpec;

using Bound = std::span<const std::vector<Leaf>>;

bool holds(const Cluster& cluster, const std::vector<Leaf>& leaves) {
  return !leaves.empty() && std::all_of(leaves.begin(), leaves.end(), [&](Leaf leaf) {
    return leaf >= cluster.first_leaf && leaf < cluster.first_leaf + cluster.leaf_count;
  });
}

MemberSpec part(const Machine& cores, const Cluster& cluster, Bound bound,
                std::vector<std::uint32_t> processes, std::vector<std::uint32_t>& along) {
  MemberSpec spec;
  for (const topology::Member& member : cores.members(cluster)) {
    if (member.is_leaf) continue;
    const Cluster& child = cores.clusters()[member.id];
    std::vector<std::uint32_t> inside;
    std::copy_if(processes.begin(), processes.end(), std::back_inserter(inside),
                 [&](std::uint32_t p) { return holds(child, bound[p]); });
    if (inside.empty()) continue;
    std::erase_if(processes, [&](std::uint32_t p) { return holds(child, bound[p]); });
    const bool is_all = processes.empty() && spec.members.empty();
    MemberSpec made = part(cores, child, bound, std::move(inside), along);
    if (is_all) return made;
    made.name = child.name;
    // A part for one process tells nothing.
    if (made.members.size() == 1 && made.members.front().members.empty()) made = MemberSpec{};
    spec.members.push_back(std::move(made));
  }
  for (const std::uint32_t p : processes) {
    along.push_back(p);
    spec.members.emplace_back();
  }
  return spec;
}

}  // namespace

NodeInside inside_of(const Machine& cores, Bound bound) {
  NodeInside result;
  std::vector<std::uint32_t> all;
  for (std::uint32_t p = 0; p < bound.size(); ++p) all.push_back(p);
  result.node = part(cores, cores.clusters()[0], bound, std::move(all), result.processes);
  return result;
}

NodeInside plain_inside(std::uint32_t processes) {
  NodeInside result;
  for (std::uint32_t p = 0; p < processes; ++p) {
    result.node.members.emplace_back();
    result.processes.push_back(p);
  }
  return result;
}

}  // namespace espalier::discover
