#include "collective/folded_times.hpp"

#include <algorithm>

namespace espalier::collective {

using cost::Picos;
using cost::Routes;
using cost::Stream;
using sim::ResourceId;
using LinkKind = sim::Resource::Kind;

namespace {

bool is_of_leaf(LinkKind kind) {
  return kind == LinkKind::LeafOut || kind == LinkKind::LeafIn || kind == LinkKind::LeafBoth;
}
bool carries_out(LinkKind kind) { return kind != LinkKind::LeafIn && kind != LinkKind::ClusterIn; }
bool carries_in(LinkKind kind) { return kind != LinkKind::LeafOut && kind != LinkKind::ClusterOut; }

}  // namespace

FoldedTimes::FoldedTimes(const FoldedMachine& machine, const FoldedTree& tree, double bytes,
                         std::span<const double> segments)
    : machine_(machine),
      cost_view_(machine.cost_view()),
      tree_(tree),
      bytes_(bytes),
      fans_(cost_view_, bytes, segments),
      sharing_(cost_view_),
      crossings_(cost_view_),
      routes_(cost_view_) {}

void FoldedTimes::find_routes(const Kind& kind, bool upwards) {
  routes_.clear();
  for (const Rank child : kind.children) {
    if (upwards) {
      routes_.add(child, kind.rank);
    } else {
      routes_.add(kind.rank, child);
    }
  }
}

cost::Fan FoldedTimes::fan_of(const Kind& kind) const {
  return {kind.rank,   kind.has_parent(), kind.level, kind.children,
          kind.levels, &routes_,          0,          &crossings_};
}

/// What crosses the links of a fan: of a pipeline all that ever does, else what does at the same
/// time. See TreePrediction::count_pipeline().
void FoldedTimes::count(const Kind& kind, bool upwards) {
  crossings_.clear();
  if (fans_.pipelined()) {
    count_pipeline(kind, upwards);
    const double most = fans_.most_segments();
    const auto generations = static_cast<double>(tree_.height());
    crossings_.thin_out(most / (most + std::max(0.0, generations - 1)));
    return;
  }
  for (std::size_t k = 0; k < kind.children.size(); ++k) crossings_.add(routes_.resources(k));
  // The other masters of the generation share the outermost backbone.
  if (tree_.outermost_edges.empty()) return;
  std::uint32_t own = 0;
  ResourceId backbone = sim::kNoResource;
  for (std::size_t k = 0; k < kind.children.size(); ++k) {
    if (kind.levels[k] != 0) continue;
    for (const ResourceId r : routes_.resources(k)) {
      if (cost_view_.resource(r).kind == LinkKind::Backbone) backbone = r;
    }
    ++own;
  }
  const std::uint32_t generation = kind.has_parent() ? kind.generation : 0;
  if (backbone == sim::kNoResource || tree_.outermost_edges[generation] <= own) return;
  crossings_.add(backbone, tree_.outermost_edges[generation] - own);
}

void FoldedTimes::count_pipeline(const Kind& kind, bool upwards) {
  const topology::Machine& machine = cost_view_.machine();
  for (std::size_t k = 0; k < kind.children.size(); ++k) {
    const Kind& child = tree_.kinds[kind.kinds[k]];
    for (const ResourceId r : routes_.resources(k)) {
      if (crossings_[r] != 0) continue;
      const sim::Resource& link = cost_view_.resource(r);
      if (link.kind == LinkKind::Backbone) {
        crossings_.add(r, machine.clusters().front().member_count - 1);
        continue;
      }
      const bool is_leaf = is_of_leaf(link.kind);
      const bool is_parents = is_own(r, kind.rank, kind.children[k]);
      const Kind& owner = is_parents ? kind : child;
      const std::uint32_t depth = is_leaf ? ~std::uint32_t{0} : machine.clusters()[link.id].depth;
      const bool carries_childrens = upwards ? carries_in(link.kind) : carries_out(link.kind);
      const bool carries_parents = upwards ? carries_out(link.kind) : carries_in(link.kind);
      std::uint32_t all = 0;
      if (carries_childrens) {
        all += static_cast<std::uint32_t>(
            std::count_if(owner.levels.begin(), owner.levels.end(),
                          [&](std::uint32_t level) { return level < depth; }));
      }
      if (carries_parents && owner.has_parent()) ++all;
      if (all != 0) crossings_.add(r, all);
    }
  }
}

/// Whether a link on the way between two ranks is on the first one's side.
bool FoldedTimes::is_own(ResourceId id, Rank rank, Rank other) const {
  const sim::Resource& link = cost_view_.resource(id);
  if (is_of_leaf(link.kind)) return link.id == cost_view_.machine().leaf_of(rank);
  if (link.kind == LinkKind::Backbone) return false;
  const Hierarchy& hierarchy = machine_.hierarchy();
  return hierarchy.contains(link.id, rank) && !hierarchy.contains(link.id, other);
}

/// Whether several kinds lie below the cluster of a link.
bool FoldedTimes::is_shared(ResourceId id) const {
  const sim::Resource& link = cost_view_.resource(id);
  if (tree_.owned_from == 0 || is_of_leaf(link.kind)) return false;
  return cost_view_.machine().clusters()[link.id].depth < tree_.owned_from;
}

void FoldedTimes::reduce(std::vector<Stream>& streams) {
  up_.clear();
  std::vector<Stream> in;
  for (const Kind& kind : tree_.kinds) {
    in.clear();
    for (const std::uint32_t child : kind.kinds) in.push_back(up_[child]);
    if (!in.empty()) {
      find_routes(kind, true);
      count(kind, true);
    }
    up_.push_back(fans_.up(fan_of(kind), in));
  }
  for (const FoldedTree::Root& root : tree_.roots) streams[root.rank] = up_[root.kind];
}

/// Keeps those that no other is behind in everything.
void FoldedTimes::arrive(std::vector<Arrival>& here, const Arrival& arrival) {
  const auto is_behind = [](const Arrival& a, const Arrival& b) {
    return a.stream.first >= b.stream.first && a.stream.last >= b.stream.last &&
           a.besides >= b.besides;
  };
  for (const Arrival& one : here) {
    if (is_behind(one, arrival)) return;
  }
  std::erase_if(here, [&](const Arrival& one) { return is_behind(arrival, one); });
  here.push_back(arrival);
}

Picos FoldedTimes::broadcast(std::span<const Stream> streams) {
  arrived_.assign(tree_.kinds.size(), {});
  for (const FoldedTree::Root& root : tree_.roots) {
    arrive(arrived_[root.kind], {streams[root.rank], 0});
  }
  Picos last = 0;
  std::vector<Stream> out;
  for (std::size_t id = tree_.kinds.size(); id-- > 0;) {
    const Kind& kind = tree_.kinds[id];
    if (!kind.children.empty()) {
      find_routes(kind, false);
      count(kind, false);
    }
    out.resize(kind.children.size());
    for (const Arrival& here : arrived_[id]) {
      last = std::max(last, here.stream.last);
      if (kind.children.empty()) continue;
      fans_.down(fan_of(kind), here.stream, out);
      for (std::size_t k = 0; k < out.size(); ++k) {
        const double bytes = segments_on(kind.levels[k]).bytes;
        const Picos besides = here.stream.first + cost_view_.send(kind.rank, bytes) +
                              routes_[k].latency + cost_view_.recv(kind.children[k], bytes);
        arrive(arrived_[kind.kinds[k]], {out[k], besides});
      }
    }
  }
  return last;
}

FoldedTimes::Load FoldedTimes::segments_on(std::uint32_t level) const {
  const double count = fans_.cut(level).count;
  return {bytes_ / count, count};
}

}  // namespace espalier::collective
