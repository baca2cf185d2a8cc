// An allgather along a folded tree: blocks up, bundles across, all of them down again.
#include <algorithm>
#include <numeric>

#include "collective/folded_busy.hpp"

namespace espalier::collective {

using cost::Picos;
using sim::ResourceId;
using LinkKind = sim::Resource::Kind;

namespace {

/// The order in which bundles come; of those that come together the first goes first.
std::vector<std::size_t> order_of(std::span<const Picos> bundles) {
  std::vector<std::size_t> order(bundles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bundles[a] < bundles[b]; });
  return order;
}

/// Whether all bundles of `a` come no earlier, in the same order: then they leave no earlier.
bool is_behind(std::span<const Picos> a, std::span<const Picos> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] < b[i]) return false;
  }
  return order_of(a) == order_of(b);
}

}  // namespace

/// Keeps those that no other is behind.
void FoldedTimes::arrive(std::vector<Bundles>& here, Bundles arrival) {
  for (const Bundles& one : here) {
    if (is_behind(one, arrival)) return;
  }
  std::erase_if(here, [&](const Bundles& one) { return is_behind(arrival, one); });
  here.push_back(std::move(arrival));
}

/// One message at a time on each connection. @pre routes_ are those of the kind downwards
void FoldedTimes::send_down(const Kind& kind, const Bundles& here, std::span<const double> sizes,
                            std::vector<Bundles>& out) {
  const std::size_t children = kind.children.size();
  std::vector<cost::Flow> flows;
  for (const Rank child : kind.children) flows.push_back({kind.rank, child});
  sharing_.settle(flows, routes_, 0);  // the rates: they do not depend on bytes and starts
  out.assign(children, Bundles(sizes.size(), 0));
  std::vector<Picos> through(children, 0);  // when the connection to each child is free again
  Picos processor = 0;
  for (const std::size_t b : order_of(here)) {
    processor = std::max(processor, here[b]);
    for (cost::Flow& flow : flows) {
      processor += cost_view_.send(kind.rank, sizes[b]);
      flow.bytes = sizes[b];
      flow.start = processor;
    }
    sharing_.settle_again(flows);
    for (std::size_t k = 0; k < children; ++k) {
      const cost::Flow& flow = flows[k];
      const Picos takes = flow.end - flow.start - flow.latency;
      through[k] = std::max(through[k], flow.start + flow.latency) + takes;
      out[k][b] = through[k] + cost_view_.recv(flow.to, sizes[b]);
    }
  }
}

Picos FoldedTimes::bundles_down(std::span<const FoldedTree::Root> roots,
                                std::span<const double> sizes,
                                std::span<const std::vector<Picos>> here) {
  std::vector<std::vector<Bundles>> arrived(tree_.kinds.size());
  for (std::size_t i = 0; i < roots.size(); ++i) arrive(arrived[roots[i].kind], here[i]);
  Picos last = 0;
  for (const auto& bundles : here)
    last = std::max(last, *std::max_element(bundles.begin(), bundles.end()));
  std::vector<Bundles> out;
  for (std::size_t id = tree_.kinds.size(); id-- > 0;) {
    const Kind& kind = tree_.kinds[id];
    if (kind.children.empty()) continue;
    find_routes(kind, false);
    for (const Bundles& bundles : arrived[id]) {
      send_down(kind, bundles, sizes, out);
      for (std::size_t k = 0; k < out.size(); ++k) {
        last = std::max(last, *std::max_element(out[k].begin(), out[k].end()));
        const std::uint32_t child = kind.kinds[k];
        if (!tree_.kinds[child].children.empty()) arrive(arrived[child], std::move(out[k]));
      }
    }
    arrived[id] = {};
  }
  return last;
}

/// The links on a root's side of the ways to other roots and back.
std::vector<ResourceId> FoldedTimes::own_links(Rank root) const {
  std::vector<ResourceId> own;
  sim::Route route;
  for (const FoldedTree::Root& other : tree_.roots) {
    if (other.rank == root) continue;
    for (const bool out : {true, false}) {
      cost_view_.find_route(out ? root : other.rank, out ? other.rank : root, route);
      for (const ResourceId r : route.resources()) {
        const bool is_new = std::find(own.begin(), own.end(), r) == own.end();
        if (is_new && is_own(r, root, other.rank)) own.push_back(r);
      }
    }
    break;  // the ways to all others begin alike
  }
  return own;
}

Picos FoldedTimes::busiest_of_allgather(double block, double all, const cost::Loads& across) {
  const auto own_blocks = [&](const Kind& kind) -> Load { return {kind.subtree * block, 1}; };
  const auto upwards = [&](const Kind& kind, std::size_t k) {
    return own_blocks(tree_.kinds[kind.kinds[k]]);
  };
  const auto downwards = [&](const Kind&, std::size_t) -> Load { return {all, 1}; };
  const auto now = [](std::size_t) { return Picos{0}; };
  struct Besides {  // of the messages to the parent and from there
    Picos up = 0, down = 0;
    bool operator==(const Besides&) const = default;
  };
  std::vector<std::vector<Besides>> besides(tree_.kinds.size());
  const auto links_of = [&](const Kind& kind, const Besides& parent) {
    Busy both = busy(kind, true, upwards, own_blocks(kind), parent.up, now);
    for (const OnLink& down : busy(kind, false, downwards, {all, 1}, parent.down, now).links) {
      const auto same = std::find_if(both.links.begin(), both.links.end(),
                                     [&](const OnLink& one) { return one.link == down.link; });
      if (same == both.links.end()) {
        both.links.push_back(down);
      } else {
        same->busy += down.busy;
        same->first = std::min(same->first, down.first);
      }
    }
    return both;
  };
  Picos most = across.busiest_resource();
  for (std::size_t id = tree_.kinds.size(); id-- > 0;) {
    const Kind& kind = tree_.kinds[id];
    for (std::size_t k = 0; k < kind.children.size(); ++k) {
      const double bytes = upwards(kind, k).bytes;
      const Rank child = kind.children[k];
      cost_view_.find_route(child, kind.rank, route_);
      const Picos latency = cost_view_.latency(route_);
      const Besides here{
          cost_view_.send(child, bytes) + latency + cost_view_.recv(kind.rank, bytes),
          cost_view_.send(kind.rank, all) + latency + cost_view_.recv(child, all)};
      auto& known = besides[kind.kinds[k]];
      if (std::find(known.begin(), known.end(), here) == known.end()) known.push_back(here);
    }
    for (const Besides& parent : besides[id])
      most = std::max(most, busiest(links_of(kind, parent)));
  }
  // A root's links are those of the rank that stands for its kind, but for what goes across.
  const auto is_like = [&](ResourceId a, ResourceId b) {
    const auto clusters = cost_view_.machine().clusters();
    const sim::Resource &one = cost_view_.resource(a), &other = cost_view_.resource(b);
    const bool is_leaf = one.kind == LinkKind::LeafOut || one.kind == LinkKind::LeafIn ||
                         one.kind == LinkKind::LeafBoth;
    return one.kind == other.kind &&
           (is_leaf || clusters[one.id].depth == clusters[other.id].depth);
  };
  for (const FoldedTree::Root& root : tree_.roots) {
    Busy here = links_of(tree_.kinds[root.kind], {});
    for (const ResourceId r : own_links(root.rank)) {
      for (OnLink& one : here.links) {
        if (!is_like(one.link, r)) continue;
        one.busy += across.resource(r);
        if (across.resource(r) > 0) one.first = std::min(one.first, across.first(r));
      }
    }
    most = std::max(most, busiest(here));
  }
  return most;
}

}  // namespace espalier::collective
