#include "discover/link_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <tuple>

namespace espalier::discover {
namespace {

constexpr std::int64_t kDoubtPercent = 10;  ///< doubt about a link, in percent of its round trip

LinkSeen link_of(Node a, Node b, Time round_trip, Time costs) {
  const std::int64_t rest = (round_trip - costs).picoseconds / 2;
  return {a, b, Time{std::max<std::int64_t>(0, rest)},
          Time{round_trip.picoseconds * kDoubtPercent / 200}};
}

class Union {
 public:
  explicit Union(Node nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }
  Node find(Node x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  bool join(Node a, Node b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<Node> parent_;
};

bool is_shorter(const LinkSeen& x, const LinkSeen& y) {
  return std::tuple(x.latency, x.a, x.b) < std::tuple(y.latency, y.a, y.b);
}

/// Shortest first.
std::vector<LinkSeen> least_spanning_tree(Node nodes, std::span<const LinkSeen> links) {
  std::vector<LinkSeen> sorted(links.begin(), links.end());
  std::sort(sorted.begin(), sorted.end(), is_shorter);
  Union parts(nodes);
  std::vector<LinkSeen> tree;
  for (const LinkSeen& link : sorted) {
    if (parts.join(link.a, link.b)) tree.push_back(link);
  }
  return tree;
}

/// How many times longer the second is, as far as that is certain; 0 if it may be as short.
double certain_ratio(const LinkSeen& shorter, const LinkSeen& longer) {
  if (longer.latency - longer.doubt <= shorter.latency + shorter.doubt) return 0;
  const Time floor = std::max(shorter.latency, shorter.doubt);
  return static_cast<double>(longer.latency.picoseconds) /
         static_cast<double>(std::max<std::int64_t>(1, floor.picoseconds));
}

/// Splits a cluster of these nodes, which `tree` (shortest first) joins. Nodes are few or many, so
/// all work is on dense numbers.
class Splitter {
 public:
  Splitter(Node nodes, const GapRule& rule) : rule_(rule), number_(nodes) {}

  LinkCluster split(std::vector<Node> nodes, const std::vector<LinkSeen>& tree) {
    LinkCluster cluster;
    cluster.nodes = std::move(nodes);
    if (cluster.nodes.size() == 1) return cluster;
    const std::size_t kept = links_below_cut(cluster.nodes, tree);
    for (auto& [nodes_of_part, links_of_part] : parts(cluster.nodes, tree, kept)) {
      cluster.members.push_back(split(std::move(nodes_of_part), links_of_part));
    }
    return cluster;
  }

 private:
  using Part = std::pair<std::vector<Node>, std::vector<LinkSeen>>;

  /// What the `kept` shortest links join, by lowest node.
  std::vector<Part> parts(const std::vector<Node>& nodes, const std::vector<LinkSeen>& tree,
                          std::size_t kept) {
    for (std::size_t i = 0; i < nodes.size(); ++i) number_[nodes[i]] = static_cast<Node>(i);
    Union joined(static_cast<Node>(nodes.size()));
    for (std::size_t i = 0; i < kept; ++i) joined.join(number_[tree[i].a], number_[tree[i].b]);
    std::map<Node, Part> by_lowest;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      by_lowest[joined.find(static_cast<Node>(i))].first.push_back(nodes[i]);
    }
    for (std::size_t i = 0; i < kept; ++i) {
      by_lowest[joined.find(number_[tree[i].a])].second.push_back(tree[i]);
    }
    std::vector<Part> result;
    for (auto& [lowest, part] : by_lowest) result.push_back(std::move(part));
    return result;
  }

  /// From the longest links down to the first gap; 0 if there is none.
  std::size_t links_below_cut(const std::vector<Node>& nodes, const std::vector<LinkSeen>& tree) {
    for (std::size_t i = tree.size() - 1; i > 0; --i) {
      const double ratio = certain_ratio(tree[i - 1], tree[i]);
      if (ratio >= rule_.always) return i;
      if (ratio >= rule_.if_structured && several_are_clusters(nodes, tree, i)) return i;
    }
    return 0;
  }

  /// Whether two parts have links of their own that are of the same order as those between them.
  bool several_are_clusters(const std::vector<Node>& nodes, const std::vector<LinkSeen>& tree,
                            std::size_t kept) {
    const double least = static_cast<double>(tree[kept].latency.picoseconds) / rule_.always;
    const auto made = parts(nodes, tree, kept);
    return std::count_if(made.begin(), made.end(), [&](const Part& part) {
             const auto& links = part.second;  // shortest first
             return !links.empty() &&
                    static_cast<double>(links.back().latency.picoseconds) >= least;
           }) >= 2;
  }

  GapRule rule_;
  std::vector<Node> number_;  // index of each node within the cluster at hand
};

void collect_innermost(const LinkCluster& cluster, std::vector<std::vector<Node>>& found) {
  const bool only_nodes = std::all_of(cluster.members.begin(), cluster.members.end(),
                                      [](const LinkCluster& m) { return m.is_node(); });
  if (only_nodes) {
    found.push_back(cluster.nodes);
    return;
  }
  for (const LinkCluster& member : cluster.members) collect_innermost(member, found);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const LinkCluster& cluster) {
  if (cluster.is_node()) return out << (cluster.nodes.empty() ? kNoNode : cluster.nodes.front());
  const char* before = "(";
  for (const LinkCluster& member : cluster.members) {
    out << before << member;
    before = " ";
  }
  return out << ")";
}

std::vector<LinkSeen> links_seen(const RoundTrips& seen, std::span<const NodeCost> costs) {
  std::vector<Time> both;
  for (const NodeCost& c : costs) both.push_back(c.send + c.recv);
  return links_seen(seen, both);
}

std::vector<LinkSeen> links_seen(const RoundTrips& seen, std::span<const Time> send_and_recv) {
  expects(send_and_recv.size() == seen.nodes(), "links_seen: not a cost for each node");
  std::vector<LinkSeen> links;
  for (const auto& [pair, time] : seen.all()) {
    const auto [a, b] = pair;
    links.push_back(link_of(a, b, time.least, send_and_recv[a] + send_and_recv[b]));
  }
  return links;
}

LinkCluster cluster_links(Node nodes, std::span<const LinkSeen> links, const GapRule& rule) {
  expects(nodes >= 1, "cluster_links: no nodes");
  std::vector<LinkSeen> tree = least_spanning_tree(nodes, links);
  expects(tree.size() + 1 == nodes, "cluster_links: the links do not join all nodes");
  std::vector<Node> all(nodes);
  std::iota(all.begin(), all.end(), 0U);
  return Splitter(nodes, rule).split(std::move(all), std::move(tree));
}

std::vector<std::vector<Node>> innermost(const LinkCluster& whole) {
  std::vector<std::vector<Node>> found;
  collect_innermost(whole, found);
  std::sort(found.begin(), found.end());
  return found;
}

std::uint32_t depth(const LinkCluster& whole) {
  std::uint32_t deepest = 0;
  for (const LinkCluster& member : whole.members) deepest = std::max(deepest, 1 + depth(member));
  return deepest;
}

}  // namespace espalier::discover
