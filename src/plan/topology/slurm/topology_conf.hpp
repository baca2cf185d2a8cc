#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine_spec.hpp"

namespace espalier::topology::slurm {

struct LocatedText {
  std::string text;
  std::uint32_t line = 0;
};

/// A switch or a block.
struct NodeGroup {
  std::string name;
  std::uint32_t line = 0;
  std::optional<LocatedText> nodes;
  std::optional<LocatedText> switches;
};

/// What a topology.conf says, each line checked by itself and names unique.
struct TopologyConf {
  std::string file;
  std::vector<NodeGroup> switches;
  std::vector<NodeGroup> blocks;  ///< switches or blocks: one of the two lists is empty
  std::optional<LocatedText> block_sizes;
  bool has_link_speed = false;

  [[nodiscard]] std::string where(std::uint32_t line) const;
};

Expected<TopologyConf> read_topology_conf(std::string_view text, const std::string& file);

/// The clusters of the tree plugin; `notes` takes what Slurm would see otherwise.
Expected<MachineSpec> switch_tree(const TopologyConf& conf, std::uint32_t processes_per_node,
                                  std::vector<std::string>& notes);
/// The clusters of the block plugin.
Expected<MachineSpec> block_tree(const TopologyConf& conf, std::uint32_t processes_per_node);

/// The nodes of a group, one member for each part of its hostlist.
[[nodiscard]] std::vector<MemberSpec> node_members(const TopologyConf& conf, const NodeGroup& group,
                                                   std::uint32_t processes_per_node);
/// How many nodes each group has; refuses hostlists that are none, and a node that stands twice.
Expected<std::vector<std::uint64_t>> count_nodes(const TopologyConf& conf,
                                                 std::span<const NodeGroup> groups);
/// One level for each channel, whose members are the clusters of the next, at last nodes, and the
/// processes of a node where there are several.
[[nodiscard]] std::vector<LevelSpec> level_specs(std::vector<std::string> channels,
                                                 std::uint32_t processes_per_node);

}  // namespace espalier::topology::slurm
