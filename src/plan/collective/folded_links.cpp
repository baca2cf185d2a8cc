// The links of a folded tree: how busy they are, and what goes over them in bundles.
#include <algorithm>

#include "collective/folded_busy.hpp"

namespace espalier::collective {

using cost::Picos;
using sim::ResourceId;
using LinkKind = sim::Resource::Kind;

Picos FoldedTimes::busiest(const Busy& busy) const {
  Picos most = 0;
  for (const OnLink& one : busy.links) most = std::max(most, one.first + one.busy);
  return most;
}

/// The outermost backbone, which all edges of the outermost group cross.
/// @param start when the message over the edge to a master of this kind begins
template <typename LoadOf, typename Start>
FoldedTimes::OnLink FoldedTimes::on_backbone(bool upwards, LoadOf load_of, Start start) {
  OnLink found;
  const Rank first_master = tree_.roots.front().rank;
  for (std::size_t i = 0; i < tree_.outermost.size(); ++i) {
    const FoldedTree::Root& one = tree_.outermost[i];
    const Rank from = upwards ? one.rank : first_master;
    const Rank to = upwards ? first_master : one.rank;
    cost_view_.find_route(from, to, route_);
    const auto links = route_.resources();
    const auto backbone = std::find_if(links.begin(), links.end(), [&](ResourceId r) {
      return cost_view_.resource(r).kind == LinkKind::Backbone;
    });
    if (backbone == links.end()) return found;
    const Load load = load_of(one.kind);
    const Picos besides = start(one.kind) + cost_view_.send(from, load.bytes) +
                          cost_view_.latency(route_) + cost_view_.recv(to, load.bytes);
    found.first = i == 0 ? besides : std::min(found.first, besides);
    found.busy += load.count * load.bytes * cost_view_.per_byte(*backbone);
  }
  return found;
}

Picos FoldedTimes::busiest_link(bool upwards) {
  const auto load_of = [&](const Kind& kind, std::size_t k) { return segments_on(kind.levels[k]); };
  Picos most = 0;
  // Upwards: what the latest message of a kind takes besides is known from its parents.
  std::vector<Picos> besides(tree_.kinds.size(), 0);
  for (std::size_t id = tree_.kinds.size(); id-- > 0;) {
    const Kind& kind = tree_.kinds[id];
    const Load own = segments_on(kind.level);
    if (!upwards) {
      for (const Arrival& here : arrived_[id]) {
        most = std::max(most, busiest(busy(kind, false, load_of, own, here.besides,
                                           [&](std::size_t) { return here.stream.first; })));
      }
      continue;
    }
    for (std::size_t k = 0; k < kind.children.size(); ++k) {
      const double bytes = load_of(kind, k).bytes;
      cost_view_.find_route(kind.children[k], kind.rank, route_);
      const Picos there = up_[kind.kinds[k]].first + cost_view_.send(kind.children[k], bytes) +
                          cost_view_.latency(route_) + cost_view_.recv(kind.rank, bytes);
      besides[kind.kinds[k]] = std::max(besides[kind.kinds[k]], there);
    }
    most = std::max(most, busiest(busy(kind, true, load_of, own, besides[id],
                                       [&](std::size_t k) { return up_[kind.kinds[k]].first; })));
  }
  const auto start = [&](std::uint32_t kind) {
    return upwards ? up_[kind].first : arrived_[tree_.roots.front().kind].front().stream.first;
  };
  const OnLink backbone = on_backbone(
      upwards, [&](std::uint32_t) { return segments_on(0); }, start);
  return std::max({most, backbone.first + backbone.busy, busiest_shared(upwards, load_of, start)});
}

Picos FoldedTimes::busy_with_both(const cost::Loads* across) {
  const auto load_of = [&](const Kind& kind, std::size_t k) { return segments_on(kind.levels[k]); };
  const auto now = [](std::size_t) { return Picos{0}; };
  Picos one_way = across != nullptr ? across->busiest() : 0, both = one_way;
  for (const Kind& kind : tree_.kinds) {
    const Load own = segments_on(kind.level);
    const Busy up = busy(kind, true, load_of, own, 0, now);
    Busy down = busy(kind, false, load_of, own, 0, now);
    const Picos beside = across != nullptr ? across->processor(kind.rank) : 0;
    one_way = std::max({one_way, up.processor, down.processor});
    both = std::max(both, up.processor + down.processor + beside);
    for (const OnLink& one : up.links) {
      one_way = std::max(one_way, one.busy);
      Picos all = one.busy + (across != nullptr ? across->resource(one.link) : 0);
      for (OnLink& other : down.links) {
        if (other.link == one.link) all += other.busy;
      }
      both = std::max(both, all);
    }
    for (const OnLink& one : down.links) {
      one_way = std::max(one_way, one.busy);
      both = std::max(both, one.busy + (across != nullptr ? across->resource(one.link) : 0));
    }
  }
  const auto load = [&](std::uint32_t) { return segments_on(0); };
  const Picos backbone = on_backbone(false, load, [](std::uint32_t) { return Picos{0}; }).busy;
  one_way = std::max(one_way, backbone);
  both = std::max(both, 2 * backbone);
  return both - one_way;
}

Picos FoldedTimes::gather(double block, std::vector<Picos>* ready_at) {
  const auto load_of = [&](const Kind& kind, std::size_t k) -> Load {
    return {tree_.kinds[kind.kinds[k]].subtree * block, 1};
  };
  std::vector<Picos> ready;
  std::vector<cost::Flow> flows;
  for (const Kind& kind : tree_.kinds) {
    find_routes(kind, true);
    flows.clear();
    for (std::size_t k = 0; k < kind.children.size(); ++k) {
      const double bytes = load_of(kind, k).bytes;
      flows.push_back({kind.children[k], kind.rank, bytes,
                       ready[kind.kinds[k]] + cost_view_.send(kind.children[k], bytes)});
    }
    if (!flows.empty()) sharing_.settle(flows, routes_, 0);
    std::stable_sort(flows.begin(), flows.end(),
                     [](const cost::Flow& a, const cost::Flow& b) { return a.end < b.end; });
    Picos clock = 0;
    for (const cost::Flow& flow : flows) {
      clock = std::max(clock, flow.end) + cost_view_.recv(kind.rank, flow.bytes);
    }
    ready.push_back(clock);
  }
  Picos last = 0;
  for (const FoldedTree::Root& root : tree_.roots) {
    last = std::max(last, ready[root.kind]);
    if (ready_at != nullptr) (*ready_at)[root.rank] = ready[root.kind];
  }
  std::vector<Picos> besides(tree_.kinds.size(), 0);
  for (std::size_t id = tree_.kinds.size(); id-- > 0;) {
    const Kind& kind = tree_.kinds[id];
    for (std::size_t k = 0; k < kind.children.size(); ++k) {
      const double bytes = load_of(kind, k).bytes;
      cost_view_.find_route(kind.children[k], kind.rank, route_);
      const Picos there = cost_view_.send(kind.children[k], bytes) + cost_view_.latency(route_) +
                          cost_view_.recv(kind.rank, bytes);
      besides[kind.kinds[k]] = std::max(besides[kind.kinds[k]], there);
    }
    last = std::max(last, busiest(busy(kind, true, load_of, {kind.subtree * block, 1}, besides[id],
                                       [](std::size_t) { return Picos{0}; })));
  }
  const OnLink backbone = on_backbone(
      true,
      [&](std::uint32_t kind) -> Load {
        return {tree_.kinds[kind].subtree * block, 1};
      },
      [](std::uint32_t) { return Picos{0}; });
  const Picos shared = busiest_shared(true, load_of, [](std::uint32_t) { return Picos{0}; });
  return std::max({last, backbone.first + backbone.busy, shared});
}

Picos FoldedTimes::scatter(double block) {
  const auto load_of = [&](const Kind& kind, std::size_t k) -> Load {
    return {tree_.kinds[kind.kinds[k]].subtree * block, 1};
  };
  struct Here {
    Picos at = 0;
    Picos besides = 0;
  };
  std::vector<Here> here(tree_.kinds.size());  // the latest of each kind
  std::vector<cost::Flow> flows;
  Picos last = 0;
  for (std::size_t id = tree_.kinds.size(); id-- > 0;) {
    const Kind& kind = tree_.kinds[id];
    find_routes(kind, false);
    flows.clear();
    Picos processor = here[id].at;
    for (std::size_t k = 0; k < kind.children.size(); ++k) {
      const double bytes = load_of(kind, k).bytes;
      processor += cost_view_.send(kind.rank, bytes);
      flows.push_back({kind.rank, kind.children[k], bytes, processor});
    }
    last = std::max(last, processor);
    if (!flows.empty()) sharing_.settle(flows, routes_, 0);
    for (std::size_t k = 0; k < flows.size(); ++k) {
      const cost::Flow& flow = flows[k];
      const Picos took = cost_view_.recv(flow.to, flow.bytes);
      Here& there = here[kind.kinds[k]];
      there.at = std::max(there.at, flow.end + took);
      there.besides = std::max(there.besides,
                               cost_view_.send(flow.from, flow.bytes) + routes_[k].latency + took);
    }
    last = std::max(last, busiest(busy(kind, false, load_of, {kind.subtree * block, 1},
                                       here[id].besides, [](std::size_t) { return Picos{0}; })));
  }
  const OnLink backbone = on_backbone(
      false,
      [&](std::uint32_t kind) -> Load {
        return {tree_.kinds[kind].subtree * block, 1};
      },
      [](std::uint32_t) { return Picos{0}; });
  const Picos shared = busiest_shared(false, load_of, [](std::uint32_t) { return Picos{0}; });
  return std::max({last, backbone.first + backbone.busy, shared});
}

}  // namespace espalier::collective
