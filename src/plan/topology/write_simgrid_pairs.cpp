#include <fmt/format.h>

#include "topology/simgrid/platform_text.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace simgrid {
namespace {

class PairWriter {
 public:
  explicit PairWriter(const Machine& machine) : machine_(machine), text_(machine) {}

  std::string write() {
    text_.begin();
    text_.line(0, fmt::format("<zone id=\"{}\" routing=\"Full\">", text_.zone_name(0)));
    for (Leaf leaf = 0; leaf < machine_.size(); ++leaf) text_.host(1, leaf);
    write_links();
    for (const bool as_links : {true, false}) {  // all links come before all routes
      for (Leaf a = 0; a < machine_.size(); ++a) {
        for (Leaf b = a + 1; b < machine_.size(); ++b) pair(a, b, as_links);
      }
    }
    text_.line(0, "</zone>");
    return text_.end();
  }

 private:
  void write_links() {
    const auto clusters = machine_.clusters();
    for (ClusterId id = 0; id < clusters.size(); ++id) {
      End end;
      text_.uplink(1, text_.zone_name(id) + "/link", clusters[id].uplink, end);
      const Passes backbone = text_.backbone(1, id);
      // On the way out what is inside comes first.
      clusters_.push_back({"", "", join(backbone, end.up), join(end.down, backbone)});
      backbones_.push_back(backbone);
      pairs_.push_back(text_.pairs(1, id));
      text_.pipe(1, text_.zone_name(id) + "/channel", kUnlimited, clusters[id].channel.latency);
    }
    for (Leaf leaf = 0; leaf < machine_.size(); ++leaf) {
      End end{text_.host_name(leaf), "", {}, {}};
      text_.uplink(1, end.id + "/link", machine_.leaf_uplink(leaf), end);
      leaves_.push_back(end);
    }
  }

  /// The link that caps flows between two hosts, or the route with it.
  void pair(Leaf a, Leaf b, bool as_link) {
    const ClusterId joins = innermost(a, b);
    const Bandwidth cap = machine_.clusters()[joins].channel.flow_cap;
    const std::string cap_id = fmt::format("{}/{}", leaves_[a].id, leaves_[b].id);
    if (as_link) {
      if (!cap.unlimited()) text_.pipe(1, cap_id, cap, Time{0});
      return;
    }
    Passes middle = join(backbones_[joins], {between(joins, a, b)});
    if (!cap.unlimited()) middle.push_back({cap_id});
    text_.both_ways(1, way_out(a, joins), way_out(b, joins), middle);
  }

  [[nodiscard]] bool holds(ClusterId id, Leaf leaf) const {
    const Cluster& c = machine_.clusters()[id];
    return leaf >= c.first_leaf && leaf - c.first_leaf < c.leaf_count;
  }
  [[nodiscard]] ClusterId innermost(Leaf a, Leaf b) const {
    ClusterId id = machine_.cluster_of(a);
    while (!holds(id, b)) id = machine_.clusters()[id].parent;
    return id;
  }

  /// From a leaf up to the channel of a cluster that it is in, and back.
  [[nodiscard]] End way_out(Leaf leaf, ClusterId top) const {
    End end = leaves_[leaf];
    for (ClusterId id = machine_.cluster_of(leaf); id != top; id = machine_.clusters()[id].parent) {
      end.up = join(end.up, clusters_[id].up);
      end.down = join(clusters_[id].down, end.down);
    }
    return end;
  }

  /// The member of a cluster that a leaf is, or is in.
  [[nodiscard]] std::uint32_t member_of(ClusterId top, Leaf leaf) const {
    ClusterId id = machine_.cluster_of(leaf);
    if (id == top) return machine_.index_in_cluster(leaf);
    while (machine_.clusters()[id].parent != top) id = machine_.clusters()[id].parent;
    return machine_.clusters()[id].index;
  }

  [[nodiscard]] Pass between(ClusterId joins, Leaf a, Leaf b) const {
    const std::uint32_t first = member_of(joins, a);
    const std::uint32_t second = member_of(joins, b);  // leaves are counted along the tree
    const auto pairs = machine_.pairs(machine_.clusters()[joins]);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (pairs[p].a == first && pairs[p].b == second) return pairs_[joins][p];
    }
    return {text_.zone_name(joins) + "/channel"};
  }

  const Machine& machine_;
  PlatformText text_;
  std::vector<End> clusters_;  ///< [ClusterId] links that a route passes when it leaves or enters
  std::vector<Passes> backbones_;
  std::vector<std::vector<Pass>> pairs_;
  std::vector<End> leaves_;
};

}  // namespace
}  // namespace simgrid

std::string write_simgrid_pairs(const Machine& machine) {
  return simgrid::PairWriter(machine).write();
}

}  // namespace espalier::topology
