#include "topology/slurm/topology_conf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "topology/slurm/conf_line.hpp"

namespace espalier::topology::slurm {
namespace {

using Failure = std::optional<Error>;

class ConfReader {
 public:
  explicit ConfReader(TopologyConf& conf) : conf_(conf) {}

  Failure take(const ConfPair& pair) {
    if (pair.key == "switchname") return open(pair, conf_.switches);
    if (pair.key == "blockname") return open(pair, conf_.blocks);
    if (pair.key == "nodes") return set(pair, &NodeGroup::nodes);
    if (pair.key == "switches") return set(pair, &NodeGroup::switches);
    if (pair.key == "blocksizes") {
      if (conf_.block_sizes) return twice(pair);
      conf_.block_sizes = LocatedText{pair.value, pair.line};
      return {};
    }
    if (pair.key == "linkspeed") {
      conf_.has_link_speed = true;
      return {};
    }
    return Error{
        conf_.where(pair.line), fmt::format("unknown key \"{:.40}\"", pair.key),
        "expected SwitchName, Switches, Nodes, LinkSpeed, or BlockName, Nodes, BlockSizes"};
  }
  void end_line() { group_ = nullptr; }

 private:
  Failure open(const ConfPair& pair, std::vector<NodeGroup>& groups) {
    if (pair.value.find_first_of("[],") != std::string::npos) {
      return Error{conf_.where(pair.line),
                   fmt::format("the name \"{:.60}\" holds a bracket or comma", pair.value),
                   "define each switch or block on its own"};
    }
    groups.push_back({pair.value, pair.line, {}, {}});
    group_ = &groups.back();
    return {};
  }
  Failure set(const ConfPair& pair, std::optional<LocatedText> NodeGroup::*member) {
    if (group_ == nullptr) {
      return Error{conf_.where(pair.line),
                   fmt::format("\"{}\" without a SwitchName or BlockName before it", pair.key),
                   "write lines such as \"SwitchName=s0 Nodes=n[0-15]\""};
    }
    if (group_->*member) return twice(pair);
    group_->*member = LocatedText{pair.value, pair.line};
    return {};
  }
  [[nodiscard]] Failure twice(const ConfPair& pair) const {
    return Error{conf_.where(pair.line), fmt::format("\"{}\" stands twice", pair.key),
                 "keep one of them, with all names in it"};
  }

  TopologyConf& conf_;
  NodeGroup* group_ = nullptr;
};

Failure refuse_a_name_twice(const TopologyConf& conf, std::span<const NodeGroup> groups) {
  std::vector<const NodeGroup*> order;
  for (const NodeGroup& group : groups) order.push_back(&group);
  std::sort(order.begin(), order.end(), [](const NodeGroup* a, const NodeGroup* b) {
    return std::tie(a->name, a) < std::tie(b->name, b);
  });
  const auto same = [](const NodeGroup* a, const NodeGroup* b) { return a->name == b->name; };
  const auto found = std::adjacent_find(order.begin(), order.end(), same);
  if (found == order.end()) return {};
  return Error{
      conf.where((*(found + 1))->line),
      fmt::format("\"{:.60}\" is defined twice, first on line {}", (*found)->name, (*found)->line),
      "give each switch or block its own name"};
}

Failure check_kinds(const TopologyConf& conf) {
  if (conf.switches.empty() && conf.blocks.empty()) {
    return Error{conf.where(1), "no SwitchName and no BlockName",
                 "write lines such as \"SwitchName=s0 Nodes=n[0-15]\""};
  }
  if (!conf.switches.empty() && !conf.blocks.empty()) {
    return Error{conf.where(std::max(conf.switches.front().line, conf.blocks.front().line)),
                 "switches and blocks in one file", "keep the lines of one topology plugin"};
  }
  if (conf.block_sizes && conf.blocks.empty()) {
    return Error{conf.where(conf.block_sizes->line), "BlockSizes without a BlockName",
                 "leave it out, or define blocks"};
  }
  return {};
}

}  // namespace

std::string TopologyConf::where(std::uint32_t line) const {
  return fmt::format("{}:{}", file, line);
}

Expected<TopologyConf> read_topology_conf(std::string_view text, const std::string& file) {
  auto lines = read_conf_lines(text, file);
  if (!lines) return lines.error();
  TopologyConf conf;
  conf.file = file;
  ConfReader reader(conf);
  for (const ConfLine& line : *lines) {
    for (const ConfPair& pair : line) {
      if (Failure failure = reader.take(pair)) return *failure;
    }
    reader.end_line();
  }
  if (Failure failure = check_kinds(conf)) return *failure;
  if (Failure failure = refuse_a_name_twice(conf, conf.switches)) return *failure;
  if (Failure failure = refuse_a_name_twice(conf, conf.blocks)) return *failure;
  return conf;
}

}  // namespace espalier::topology::slurm
