#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>

#include "topology/slurm/topology_conf.hpp"

namespace espalier::topology::slurm {
namespace {

Error bad_sizes(const TopologyConf& conf, std::string what) {
  return {
      conf.where(conf.block_sizes->line), std::move(what),
      "write the nodes of a block, then that times growing powers of two: BlockSizes=32,64,256"};
}

/// "30,120" -> 30, 120.
Expected<std::vector<std::uint64_t>> read_sizes(const TopologyConf& conf) {
  constexpr std::uint64_t kMaxFactor = std::uint64_t{1} << 15;  // Slurm keeps 16 levels
  std::vector<std::uint64_t> sizes;
  std::string_view rest = conf.block_sizes->text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    std::uint64_t size = 0;
    const auto [end, code] = std::from_chars(item.data(), item.data() + item.size(), size);
    if (code != std::errc() || end != item.data() + item.size() || size == 0) {
      return bad_sizes(conf, fmt::format("the block size \"{:.40}\"", item));
    }
    if (!sizes.empty()) {
      const std::uint64_t factor = size / sizes.front();
      const bool fits = size % sizes.front() == 0 && std::has_single_bit(factor) &&
                        factor <= kMaxFactor && size > sizes.back();
      if (!fits) {
        return bad_sizes(conf, fmt::format("block size {} after {}, the first being {}", size,
                                           sizes.back(), sizes.front()));
      }
    }
    sizes.push_back(size);
    if (comma == std::string_view::npos) return sizes;
    rest.remove_prefix(comma + 1);
  }
}

/// `members` in runs of `length`, each run a cluster without a name.
std::vector<MemberSpec> in_runs(std::vector<MemberSpec> members, std::uint64_t length) {
  std::vector<MemberSpec> runs;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i % length == 0) {
      runs.emplace_back();
      runs.back().where = members[i].where;
    }
    runs.back().members.push_back(std::move(members[i]));
  }
  return runs;
}

}  // namespace

Expected<MachineSpec> block_tree(const TopologyConf& conf, std::uint32_t processes_per_node) {
  std::vector<std::uint64_t> sizes = {0};
  if (conf.block_sizes) {
    auto read = read_sizes(conf);
    if (!read) return read.error();
    sizes = *std::move(read);
  }
  for (const NodeGroup& block : conf.blocks) {
    if (block.nodes && !block.switches) continue;
    return Error{
        conf.where(block.line),
        fmt::format("block \"{:.60}\" has {}", block.name, block.nodes ? "Switches" : "no Nodes"),
        "give it Nodes, and nothing else"};
  }
  auto counts = count_nodes(conf, conf.blocks);
  if (!counts) return counts.error();

  std::vector<MemberSpec> members;
  for (std::size_t i = 0; i < conf.blocks.size(); ++i) {
    const NodeGroup& block = conf.blocks[i];
    if ((*counts)[i] < sizes.front()) {
      return Error{conf.where(block.line),
                   fmt::format("block \"{:.60}\" has {} nodes, fewer than the first of BlockSizes, "
                               "{}",
                               block.name, (*counts)[i], sizes.front()),
                   "add nodes to it, or make the first block size smaller"};
    }
    MemberSpec member;
    member.where = conf.where(block.line);
    member.name = block.name;
    member.members = node_members(conf, block, processes_per_node);
    members.push_back(std::move(member));
  }

  std::vector<std::string> channels = {"block"};
  for (std::size_t level = 1; level < sizes.size(); ++level) {
    const std::uint64_t length = sizes[level] / sizes[level - 1];
    if (members.size() <= length) break;  // all of them: that is the whole machine
    members = in_runs(std::move(members), length);
    channels.insert(channels.begin(), fmt::format("blocks-of-{}", sizes[level]));
  }
  channels.insert(channels.begin(), "network");

  MachineSpec spec;
  spec.where = conf.where(conf.blocks.front().line);
  spec.whole.where = spec.where;
  spec.whole.members = std::move(members);
  spec.levels = level_specs(std::move(channels), processes_per_node);
  return spec;
}

}  // namespace espalier::topology::slurm
