#include "report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "report/text.hpp"
#include "topology/hostlist.hpp"

namespace espalier::report {
namespace {

using topology::Cluster;
using topology::ClusterId;
using topology::Leaf;
using topology::Machine;
using topology::Member;
using topology::NodeCosts;
using topology::Uplink;

using Key = std::vector<std::uint64_t>;

std::uint64_t word(Time t) { return static_cast<std::uint64_t>(t.picoseconds); }
std::uint64_t word(Bandwidth b) { return b.bits_per_second; }

void append(Key& key, std::initializer_list<std::uint64_t> words) {
  for (const std::uint64_t w : words) key.push_back(w);
}

void append(Key& key, const Uplink& u) {
  append(key, {word(u.out), word(u.in), u.half_duplex ? 1U : 0U, word(u.latency)});
}

Key key_of(const Uplink& u, const NodeCosts& c) {
  Key key;
  append(key, u);
  append(key, {word(c.send.fixed), word(c.send.rate), word(c.recv.fixed), word(c.recv.rate),
               word(c.reduce), c.speed_millionths});
  return key;
}

/// Gives equal keys equal numbers.
class Numbering {
 public:
  std::uint32_t operator()(const Key& key) {
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<Key, std::uint32_t> numbers_;
};

/// Classes of leaves and clusters, from the innermost clusters outwards.
class Classes {
 public:
  explicit Classes(const Machine& machine)
      : machine_(machine), clusters_(machine.clusters().size()) {
    leaves_.resize(machine.size());
    for (Leaf leaf = 0; leaf < machine.size(); ++leaf) leaves_[leaf] = class_of_leaf(leaf);
    // Depth-first order: whatever is in a cluster comes after it.
    for (std::size_t c = clusters_.size(); c-- > 0;) {
      clusters_[c] = cluster_numbers_(key_of_cluster(machine.clusters()[c]));
    }
  }
  [[nodiscard]] std::uint32_t of(const Member& m) const {
    return m.is_leaf ? leaves_[m.id] : clusters_[m.id];
  }

 private:
  std::uint32_t class_of_leaf(Leaf leaf) {
    const Uplink& uplink = machine_.leaf_uplink(leaf);
    const NodeCosts& costs = machine_.leaf_costs(leaf);
    if (leaf > 0 && machine_.leaf_uplink(leaf - 1) == uplink &&
        machine_.leaf_costs(leaf - 1) == costs) {
      return leaves_[leaf - 1];
    }
    return leaf_numbers_(report::key_of(uplink, costs));
  }

  Key key_of_cluster(const Cluster& cluster) {
    const topology::Channel& channel = cluster.channel;
    Key key;
    append(key, {word(channel.latency), word(channel.backbone), word(channel.flow_cap)});
    append(key, cluster.uplink);
    for (const topology::PairLink& pair : machine_.pairs(cluster)) {
      append(key, {pair.a, pair.b, word(pair.latency), word(pair.capacity)});
    }
    key.push_back(cluster.pair_count);
    const auto members = machine_.members(cluster);
    for (std::size_t at = 0; at < members.size();) {
      std::size_t end = at;
      while (end < members.size() && members[end].is_leaf == members[at].is_leaf &&
             of(members[end]) == of(members[at])) {
        ++end;
      }
      append(key, {members[at].is_leaf ? 1U : 0U, of(members[at]), end - at});
      at = end;
    }
    return key;
  }

  const Machine& machine_;
  std::vector<std::uint32_t> clusters_;
  std::vector<std::uint32_t> leaves_;
  Numbering leaf_numbers_;
  Numbering cluster_numbers_;
};

OutlineNode node_of(const Machine& machine, const Member& member) {
  if (member.is_leaf) return {true, member.id, 1, member.id, 1, false};
  const Cluster& cluster = machine.clusters()[member.id];
  return {false, member.id, 1, cluster.first_leaf, cluster.leaf_count, false};
}

/// The members of a cluster, equal neighbours taken together.
std::vector<OutlineNode> runs(const Machine& machine, const Cluster& cluster,
                              const std::optional<Classes>& classes, Fold fold) {
  std::vector<OutlineNode> found;
  const Member* previous = nullptr;
  for (const Member& member : machine.members(cluster)) {
    const OutlineNode next = node_of(machine, member);
    const bool may_join = classes && (member.is_leaf || fold == Fold::EqualNeighbours);
    const bool joins = may_join && previous != nullptr && previous->is_leaf == member.is_leaf &&
                       classes->of(*previous) == classes->of(member);
    if (joins) {
      ++found.back().count;
      found.back().leaf_count += next.leaf_count;
    } else {
      found.push_back(next);
    }
    previous = &member;
  }
  return found;
}

/// Leaf or ClusterId of a part of the run.
std::uint32_t part_of(const Machine& machine, const OutlineNode& node, std::uint32_t i) {
  if (node.is_leaf) return node.id + i;
  const Cluster& first = machine.clusters()[node.id];
  return machine.members(machine.clusters()[first.parent])[first.index + i].id;
}

const std::string& own_name(const Machine& machine, bool is_leaf, std::uint32_t id) {
  return is_leaf ? machine.leaf_name(id) : machine.clusters()[id].name;
}

/// Whether a part of the run has other names than its first one where `inside` is. Equal parts
/// number what is in them alike, since clusters and leaves are in depth-first order.
bool is_named_unlike(const Machine& machine, const OutlineNode& run, const OutlineNode& inside) {
  const auto& clusters = machine.clusters();
  for (std::uint32_t part = 1; part < run.count; ++part) {
    const std::uint32_t twin = part_of(machine, run, part);
    const std::uint32_t shift =
        inside.is_leaf ? clusters[twin].first_leaf - clusters[run.id].first_leaf : twin - run.id;
    for (std::uint32_t i = 0; i < inside.count; ++i) {
      const std::uint32_t id = part_of(machine, inside, i);
      if (own_name(machine, inside.is_leaf, id) != own_name(machine, inside.is_leaf, id + shift)) {
        return true;
      }
    }
  }
  return false;
}

/// "n[0-3]", or "a … d" where the names do not count up; "" where there are none.
std::string names_of(const Machine& machine, const OutlineNode& node) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    names.push_back(own_name(machine, node.is_leaf, part_of(machine, node, i)));
  }
  if (names.front().empty() || names.back().empty()) return "";
  if (names.size() == 1) return names.front();
  if (const auto hostlist = topology::compress_hostlist(names)) return *hostlist;
  return fmt::format("{} … {}", names.front(), names.back());
}

std::uint32_t index_of(const Machine& machine, const OutlineNode& node) {
  return node.is_leaf ? machine.index_in_cluster(node.id) : machine.clusters()[node.id].index;
}

}  // namespace

Outline outline(const Machine& machine, Fold fold) {
  std::optional<Classes> classes;
  if (fold != Fold::Nothing) classes.emplace(machine);
  Outline out;
  out.nodes.push_back(node_of(machine, {false, 0}));
  out.links.emplace_back();
  std::vector<std::uint32_t> above{kNoNode};
  for (std::uint32_t at = 0; at < out.nodes.size(); ++at) {
    if (out.nodes[at].is_leaf) continue;
    const bool has_twins = out.nodes[at].count > 1 || out.nodes[at].has_twins;
    std::uint32_t previous = kNoNode;
    for (const OutlineNode& run :
         runs(machine, machine.clusters()[out.nodes[at].id], classes, fold)) {
      const auto id = static_cast<std::uint32_t>(out.nodes.size());
      out.nodes.push_back(run);
      out.nodes.back().has_twins = has_twins;
      above.push_back(at);
      for (std::uint32_t up = at; up != kNoNode; up = above[up]) {
        if (!is_named_unlike(machine, out.nodes[up], run)) continue;
        out.nodes.back().named_as_in = out.nodes[up].id;
        break;
      }
      out.links.emplace_back();
      (previous == kNoNode ? out.links[at].first_child : out.links[previous].next_sibling) = id;
      previous = id;
    }
  }
  return out;
}

std::string channel_name(const Machine& machine, std::uint32_t level) {
  const topology::LevelName& name = machine.levels()[level];
  if (!name.channel.empty()) return printable(name.channel);
  return name.members.empty() ? fmt::format("level {}", level)
                              : plural(noun(machine, level, false));
}

std::string noun(const Machine& machine, std::uint32_t level, bool is_process) {
  const std::string& name = machine.levels()[level].members;
  const bool innermost = level + 1 == machine.levels().size();
  if (is_process && !innermost) return "process";  // a process beside nodes, say
  if (name.empty()) return is_process ? "process" : "cluster";
  return name == "proc" ? "process" : printable(name);
}

std::string title(const Machine& machine, const OutlineNode& node) {
  if (!node.is_leaf && node.id == 0) {
    return machine.name().empty() ? "the whole machine" : machine.name();
  }
  const std::uint32_t parent_depth = node.is_leaf
                                         ? machine.clusters()[machine.cluster_of(node.id)].depth
                                         : machine.clusters()[node.id].depth - 1;
  const std::string what = noun(machine, parent_depth, node.is_leaf);
  std::string names = names_of(machine, node);
  if (!names.empty() && node.named_as_in != 0) {
    const std::string& first = machine.clusters()[node.named_as_in].name;
    names += first.empty() ? " (names of the first)" : fmt::format(" (names as in {})", first);
  }
  const std::string times = node.count == 1 ? "" : grouped(node.count) + " x ";
  if (names.starts_with(what)) return times + names;  // "node3" says that it is a node
  if (!names.empty()) return fmt::format("{}{} {}", times, what, names);
  return node.count == 1 ? fmt::format("{} {}", what, index_of(machine, node)) : times + what;
}

std::uint32_t site_of(const Machine& machine, Rank rank) {
  return machine.depth(rank) > 1 ? machine.member_path(rank).front() : 0;
}

std::string place_of(const Machine& machine, Rank rank) {
  std::string place = machine.describe(rank);
  return machine.levels().size() == 1 && place == fmt::format("{}", rank) ? "" : place;
}

std::string ranks_in_words(const Machine& machine, const OutlineNode& node) {
  std::vector<Rank> ranks;
  ranks.reserve(node.leaf_count);
  for (Leaf leaf = node.first_leaf; leaf < node.first_leaf + node.leaf_count; ++leaf) {
    ranks.push_back(machine.rank_at(leaf));
  }
  std::sort(ranks.begin(), ranks.end());
  return rank_ranges(ranks, 3) + (node.has_twins ? ",…" : "");
}

const OutlineNode* only_processes(const Outline& outline, std::uint32_t node) {
  const std::uint32_t child = outline.links[node].first_child;
  if (child == kNoNode || outline.links[child].next_sibling != kNoNode) return nullptr;
  return outline.nodes[child].is_leaf ? &outline.nodes[child] : nullptr;
}

}  // namespace espalier::report
