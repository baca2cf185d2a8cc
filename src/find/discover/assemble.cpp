#include "discover/assemble.hpp"

#include <algorithm>
#include <map>

namespace espalier::discover {
namespace {

using topology::LevelName;
using topology::MemberSpec;

constexpr Time kWanFrom = milliseconds(1);
constexpr Time kLanFrom = microseconds(50);

std::uint32_t depth_of(const FoundCluster& cluster) {
  std::uint32_t deepest = 0;
  for (const FoundCluster& m : cluster.members) deepest = std::max(deepest, 1 + depth_of(m));
  return deepest;
}

std::uint32_t depth_of(const MemberSpec& spec) {
  std::uint32_t deepest = 0;
  for (const MemberSpec& m : spec.members) deepest = std::max(deepest, 1 + depth_of(m));
  return deepest;
}

/// "anl" of "anl/m1" and "anl/m2": the labels that all nodes share, as far as this depth.
std::string shared_label(const FoundCluster& cluster, std::span<const NodeInfo> nodes,
                         std::uint32_t depth) {
  const auto label = [&](Node node) {
    std::string_view place = nodes[node].place;
    for (std::uint32_t d = 1; d < depth; ++d) {
      const std::size_t slash = place.find('/');
      place = slash == std::string_view::npos ? "" : place.substr(slash + 1);
    }
    return place.substr(0, place.find('/'));
  };
  const std::string_view first = label(cluster.nodes.front());
  const bool is_shared = std::all_of(cluster.nodes.begin(), cluster.nodes.end(),
                                     [&](Node node) { return label(node) == first; });
  return is_shared ? std::string(first) : "";
}

/// A name that machines may have, or none.
std::string tidy(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '[' || c == ']' || c == ',') c = '_';
  }
  return name;
}

/// Names that stand twice are no names.
void drop_twins(std::vector<MemberSpec>& members) {
  std::map<std::string, int> count;
  for (const MemberSpec& m : members) ++count[m.name];
  for (MemberSpec& m : members) {
    if (count[m.name] > 1) m.name.clear();
  }
}

MemberSpec wrapped(MemberSpec inner, std::uint32_t times) {
  for (; times > 0; --times) {
    MemberSpec outer;
    outer.members.push_back(std::move(inner));
    inner = std::move(outer);
  }
  return inner;
}

void set_latency(MemberSpec& spec, Time latency) {
  if (spec.members.empty()) return;
  spec.channel.latency = latency;
  for (MemberSpec& m : spec.members) set_latency(m, latency);
}

class Assembler {
 public:
  Assembler(std::span<const NodeCost> costs, std::span<const NodeInfo> nodes)
      : costs_(costs), nodes_(nodes) {
    std::size_t ranks = 0;
    for (const NodeInfo& node : nodes) ranks += node.ranks.size();
    one_each_ = ranks == nodes.size();
    listed_.resize(ranks);
  }

  /// @param depth of the cluster; 0 is the whole machine
  MemberSpec cluster(const FoundCluster& found, std::uint32_t depth) {
    if (found.is_node()) return node(found);
    MemberSpec spec;
    spec.channel.latency = found.latency;
    spec.channel.flow_cap = found.flow_cap;
    for (const FoundPair& pair : found.pairs) {
      spec.pairs.push_back({"discovery", std::to_string(pair.a), std::to_string(pair.b),
                            pair.latency, pair.capacity, true, true});
    }
    const std::uint32_t below = depth_of(found) - 1;
    for (const FoundCluster& m : found.members) {
      // A site with one node is a site all the same.
      MemberSpec member = m.is_node() ? wrapped(node(m), below) : cluster(m, depth + 1);
      if (!m.is_node() || below > 0) member.name = tidy(shared_label(m, nodes_, depth + 1));
      member.uplink = topology::Uplink{m.out, m.in, false, Time{}};
      spec.members.push_back(std::move(member));
    }
    drop_twins(spec.members);
    return spec;
  }

  [[nodiscard]] bool one_each() const { return one_each_; }
  std::vector<std::uint64_t> take_listed() { return std::move(listed_); }

 private:
  MemberSpec node(const FoundCluster& found) {
    const Node id = found.nodes.front();
    const NodeInfo& info = nodes_[id];
    MemberSpec spec = one_each_ ? MemberSpec{} : info.inside.node;
    spec.name = tidy(info.name);
    set_latency(spec, info.memory_latency);
    if (costs_[id].send != Time{}) spec.costs.send = topology::Cost{costs_[id].send, kUnlimited};
    if (costs_[id].recv != Time{}) spec.costs.recv = topology::Cost{costs_[id].recv, kUnlimited};
    for (const std::uint32_t p : info.inside.processes) listed_[info.ranks[p]] = next_leaf_++;
    return spec;
  }

  std::span<const NodeCost> costs_;
  std::span<const NodeInfo> nodes_;
  bool one_each_ = true;
  std::vector<std::uint64_t> listed_;
  std::uint64_t next_leaf_ = 0;
};

/// What members of this depth are, from names such as "numa0".
void collect_kinds(const MemberSpec& spec, std::size_t depth, std::vector<std::string>& kinds) {
  for (const MemberSpec& m : spec.members) {
    if (kinds.size() <= depth) kinds.resize(depth + 1);
    if (kinds[depth].empty()) {
      kinds[depth] =
          m.members.empty() ? "" : m.name.substr(0, m.name.find_last_not_of("0123456789") + 1);
    }
    collect_kinds(m, depth + 1, kinds);
  }
}

void add_inside_levels(std::span<const NodeInfo> nodes, std::vector<LevelName>& levels) {
  std::vector<std::string> kinds;
  for (const NodeInfo& node : nodes) collect_kinds(node.inside.node, 0, kinds);
  for (std::size_t d = 0; d < kinds.size(); ++d) {
    const bool last = d + 1 == kinds.size();
    levels.push_back({last ? "memory" : "memory between " + kinds[d] + "s",
                      last || kinds[d].empty() ? "process" : kinds[d]});
  }
}

}  // namespace

std::vector<LevelName> network_levels(const FoundCluster& whole) {
  FoundCluster copy = whole;
  std::vector<LevelName> names;
  std::map<std::string, int> used;
  const auto numbered = [&](const std::string& name) {
    const int count = ++used[name];
    return count == 1 ? name : name + std::to_string(count);
  };
  std::size_t sites =
      0;  // levels that are far apart; the innermost of them has sites, others regions
  for (const auto& level : by_depth(copy)) {
    const auto is_site = [](const FoundCluster* c) {
      return c->latency >= kWanFrom && depth_of(*c) > 1;
    };
    sites += std::any_of(level.begin(), level.end(), is_site) ? 1 : 0;
  }
  for (const auto& level : by_depth(copy)) {
    Time longest;
    bool has_nodes = false;
    for (const FoundCluster* cluster : level) {
      longest = std::max(longest, cluster->latency);
      has_nodes |= depth_of(*cluster) == 1;
    }
    const bool wan = longest >= kWanFrom;
    names.push_back({numbered(wan                   ? "wan"
                              : longest >= kLanFrom ? "lan"
                                                    : "network"),
                     numbered(has_nodes            ? "node"
                              : wan && sites-- > 1 ? "region"
                              : wan                ? "site"
                                                   : "group")});
  }
  return names;
}

Expected<topology::Machine> assemble(const FoundCluster& whole, std::span<const NodeCost> costs,
                                     std::span<const NodeInfo> nodes) {
  topology::MachineSpec spec;
  spec.where = "discovery";
  spec.name = "discovered";
  Assembler assembler(costs, nodes);
  spec.whole = assembler.cluster(whole, 0);
  if (spec.whole.members.empty()) spec.whole.members.emplace_back();  // one process alone
  spec.whole.uplink.reset();
  std::vector<LevelName> levels = network_levels(whole);
  if (!assembler.one_each() || nodes.size() == 1) add_inside_levels(nodes, levels);
  levels.resize(depth_of(spec.whole), {"memory", "process"});
  for (const LevelName& name : levels) spec.levels.push_back({name, {}, {}});
  spec.placement = topology::PlacementKind::Listed;
  spec.listed = assembler.take_listed();
  return build_machine(spec);
}

}  // namespace espalier::discover
