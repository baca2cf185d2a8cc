#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "topology/hostlist.hpp"
#include "topology/slurm/topology_conf.hpp"

namespace espalier::topology::slurm {
namespace {

using Failure = std::optional<Error>;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kMaxDepth = 64;  // Slurm itself gives up at about 20

/// Who hangs below whom, by index into TopologyConf::switches.
class SwitchGraph {
 public:
  explicit SwitchGraph(const TopologyConf& conf)
      : conf_(conf), children_(conf.switches.size()), parent_(conf.switches.size(), kNone) {
    for (std::size_t i = 0; i < conf.switches.size(); ++i) index_[conf.switches[i].name] = i;
  }

  Failure connect() {
    for (std::size_t i = 0; i < conf_.switches.size(); ++i) {
      const NodeGroup& group = conf_.switches[i];
      if (Failure failure = check_content(group)) return failure;
      if (!group.switches) continue;
      if (Failure failure = add_children(i)) return failure;
    }
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      if (parent_[i] == kNone) roots_.push_back(i);
    }
    return refuse_cycles();
  }

  [[nodiscard]] const std::vector<std::size_t>& roots() const { return roots_; }
  [[nodiscard]] const std::vector<std::size_t>& children(std::size_t i) const {
    return children_[i];
  }
  /// Of the deepest switch, counting roots as 1.
  [[nodiscard]] std::size_t depth() const { return depth_; }

 private:
  [[nodiscard]] Failure check_content(const NodeGroup& group) const {
    if (group.nodes.has_value() != group.switches.has_value()) return {};
    return Error{conf_.where(group.line),
                 fmt::format("switch \"{:.60}\" has {} Nodes {} Switches", group.name,
                             group.nodes ? "both" : "neither", group.nodes ? "and" : "nor"),
                 "give it one of the two"};
  }

  Failure add_children(std::size_t parent) {
    const LocatedText& list = *conf_.switches[parent].switches;
    for (const std::string_view item : split_hostlist(list.text)) {
      // A list longer than there are switches names an unknown one, or one twice.
      auto names = expand_hostlist(item, conf_.switches.size());
      if (!names) {
        return Error{conf_.where(list.line), names.error().what,
                     fmt::format("write switches such as \"Switches=s[0-3]\"; {} are defined",
                                 conf_.switches.size())};
      }
      for (const std::string& name : *names) {
        if (Failure failure = add_child(parent, name, list.line)) return failure;
      }
    }
    return {};
  }

  Failure add_child(std::size_t parent, const std::string& name, std::uint32_t line) {
    const auto found = index_.find(name);
    if (found == index_.end()) {
      return Error{conf_.where(line), fmt::format("switch \"{:.60}\" is not defined", name),
                   "add a line with its SwitchName"};
    }
    const std::size_t child = found->second;
    if (parent_[child] != kNone) {
      return Error{conf_.where(line),
                   fmt::format("switch \"{:.60}\" hangs below two: \"{:.60}\" and \"{:.60}\"", name,
                               conf_.switches[parent_[child]].name, conf_.switches[parent].name),
                   "a tree has one way up; describe parallel spines as one switch"};
    }
    parent_[child] = parent;
    children_[parent].push_back(child);
    return {};
  }

  /// With one parent each, what the roots do not reach is on a cycle or below one.
  Failure refuse_cycles() {
    std::vector<std::size_t> level_of(parent_.size(), 0);
    std::vector<std::size_t> reached = roots_;
    for (const std::size_t root : roots_) level_of[root] = 1;
    for (std::size_t at = 0; at < reached.size(); ++at) {
      depth_ = level_of[reached[at]];
      for (const std::size_t child : children_[reached[at]]) {
        level_of[child] = depth_ + 1;
        reached.push_back(child);
      }
    }
    for (std::size_t i = 0; i < level_of.size(); ++i) {
      if (level_of[i] == 0) return cycle_above(i);
    }
    if (depth_ <= kMaxDepth) return {};
    return Error{conf_.where(conf_.switches[reached.back()].line),
                 fmt::format("switch \"{:.60}\" lies below {} others; at most {} levels are read",
                             conf_.switches[reached.back()].name, depth_ - 1, kMaxDepth),
                 "is this the right file?"};
  }

  [[nodiscard]] Failure cycle_above(std::size_t i) const {
    for (std::size_t steps = 0; steps < parent_.size(); ++steps) i = parent_[i];
    // On the cycle by now; its first line is the one to name.
    for (std::size_t at = parent_[i], start = i; at != start; at = parent_[at]) i = std::min(i, at);
    return Error{conf_.where(conf_.switches[i].line),
                 fmt::format("switch \"{:.60}\" hangs below itself", conf_.switches[i].name),
                 "take it out of the Switches of one of those below it"};
  }

  const TopologyConf& conf_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> roots_;
  std::size_t depth_ = 0;
};

MemberSpec switch_member(const TopologyConf& conf, const SwitchGraph& graph, std::size_t i,
                         std::uint32_t processes_per_node) {
  const NodeGroup& group = conf.switches[i];
  MemberSpec spec;
  spec.where = conf.where(group.line);
  spec.name = group.name;
  if (group.nodes) spec.members = node_members(conf, group, processes_per_node);
  for (const std::size_t child : graph.children(i)) {
    spec.members.push_back(switch_member(conf, graph, child, processes_per_node));
  }
  return spec;
}

std::vector<std::string> switch_channels(std::size_t depth) {
  if (depth == 1) return {"switch"};
  std::vector<std::string> channels;
  for (std::size_t i = 0; i < depth; ++i) channels.push_back(fmt::format("switch{}", i));
  return channels;
}

}  // namespace

Expected<MachineSpec> switch_tree(const TopologyConf& conf, std::uint32_t processes_per_node,
                                  std::vector<std::string>& notes) {
  SwitchGraph graph(conf);
  if (Failure failure = graph.connect()) return *failure;
  auto counts = count_nodes(conf, conf.switches);
  if (!counts) return counts.error();

  MachineSpec spec;
  std::vector<std::string> channels = switch_channels(graph.depth());
  if (graph.roots().size() == 1) {
    spec.whole = switch_member(conf, graph, graph.roots().front(), processes_per_node);
    std::swap(spec.name, spec.whole.name);  // the topmost switch is the machine
  } else {
    channels.insert(channels.begin(), "network");
    spec.whole.where = conf.where(conf.switches[graph.roots().front()].line);
    for (const std::size_t root : graph.roots()) {
      spec.whole.members.push_back(switch_member(conf, graph, root, processes_per_node));
    }
    notes.push_back(
        fmt::format("{} switches have no parent: Slurm sees them as unconnected, here "
                    "they are joined at the top",
                    graph.roots().size()));
  }
  spec.where = spec.whole.where;
  spec.levels = level_specs(std::move(channels), processes_per_node);
  return spec;
}

}  // namespace espalier::topology::slurm
