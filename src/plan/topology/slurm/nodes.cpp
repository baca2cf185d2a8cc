#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "topology/hostlist.hpp"
#include "topology/slurm/topology_conf.hpp"

namespace espalier::topology::slurm {

std::vector<MemberSpec> node_members(const TopologyConf& conf, const NodeGroup& group,
                                     std::uint32_t processes_per_node) {
  std::vector<MemberSpec> members;
  for (const std::string_view item : split_hostlist(group.nodes->text)) {
    MemberSpec node;
    node.where = conf.where(group.nodes->line);
    node.name = std::string(item);
    if (processes_per_node > 1) {
      MemberSpec process;
      process.where = node.where;
      process.count = processes_per_node;
      node.members.push_back(std::move(process));
    }
    members.push_back(std::move(node));
  }
  return members;
}

Expected<std::vector<std::uint64_t>> count_nodes(const TopologyConf& conf,
                                                 std::span<const NodeGroup> groups) {
  struct Node {
    std::string name;
    std::uint32_t line;
  };
  std::vector<std::uint64_t> counts;
  std::vector<Node> nodes;
  for (const NodeGroup& group : groups) {
    counts.push_back(0);
    if (!group.nodes) continue;
    for (const std::string_view item : split_hostlist(group.nodes->text)) {
      auto names = expand_hostlist(item, kMaxProcesses - nodes.size());
      if (!names || item.empty()) {
        return Error{conf.where(group.nodes->line),
                     names ? "an empty name between two commas" : names.error().what,
                     "write nodes such as \"Nodes=n[0-15],m3\""};
      }
      counts.back() += names->size();
      for (std::string& name : *names) nodes.push_back({std::move(name), group.nodes->line});
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::tie(a.name, a.line) < std::tie(b.name, b.line);
  });
  const auto twice = std::adjacent_find(
      nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.name == b.name; });
  if (twice == nodes.end()) return counts;
  return Error{
      conf.where((twice + 1)->line),
      fmt::format("node \"{:.60}\" stands twice, first on line {}", twice->name, twice->line),
      "a node hangs on one switch, or is in one block"};
}

std::vector<LevelSpec> level_specs(std::vector<std::string> channels,
                                   std::uint32_t processes_per_node) {
  if (processes_per_node > 1) channels.push_back("node");
  std::vector<LevelSpec> levels;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const bool last = i + 1 == channels.size();
    const std::string innermost = processes_per_node > 1 ? "process" : "node";
    levels.push_back({{channels[i], last ? innermost : channels[i + 1]}, {}, {}});
  }
  return levels;
}

}  // namespace espalier::topology::slurm
