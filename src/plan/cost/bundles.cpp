#include "cost/bundles.hpp"

#include <algorithm>

#include "cost/predict_tree.hpp"

namespace espalier::cost {

std::vector<Picos> gather_times(const CostView& cost_view, const WholeTree& tree, double block) {
  std::vector<Picos> ready(tree.size(), 0);
  FlowSharing sharing(cost_view);
  std::vector<Flow> flows;
  for (std::size_t i = tree.order.size(); i-- > 0;) {
    const Rank v = tree.order[i];
    flows.clear();
    for (const Rank child : tree.children_of(v)) {
      const double bytes = tree.subtree[child] * block;
      flows.push_back({child, v, bytes, ready[child] + cost_view.send(child, bytes)});
    }
    sharing.settle(flows);
    std::stable_sort(flows.begin(), flows.end(),
                     [](const Flow& a, const Flow& b) { return a.end < b.end; });
    for (const Flow& flow : flows) {
      ready[v] = std::max(ready[v], flow.end) + cost_view.recv(v, flow.bytes);
    }
  }
  return ready;
}

namespace {

/// What the busiest link has to carry up or down the tree.
Picos busiest_link(const CostView& cost_view, const WholeTree& tree, double block, bool upwards) {
  Loads loads(cost_view);
  for (const Rank child : tree.order) {
    const Rank parent = tree.parent[child];
    if (parent == kNoRank) continue;
    const double bytes = tree.subtree[child] * block;
    loads.add(upwards ? child : parent, upwards ? parent : child, bytes, 1, false);
  }
  return loads.busiest_resource();
}

}  // namespace

Picos gather_time(const CostView& cost_view, const WholeTree& tree, double block) {
  const std::vector<Picos> ready = gather_times(cost_view, tree, block);
  Picos last = busiest_link(cost_view, tree, block, true);
  for (const Rank r : tree.order) {
    if (tree.parent[r] == kNoRank) last = std::max(last, ready[r]);
  }
  return last;
}

std::vector<Picos> scatter_times(const CostView& cost_view, const WholeTree& tree, double block) {
  std::vector<Picos> here(tree.size(), 0);
  FlowSharing sharing(cost_view);
  std::vector<Flow> flows;
  for (const Rank v : tree.order) {
    flows.clear();
    Picos processor = here[v];
    for (const Rank child : tree.children_of(v)) {
      const double bytes = tree.subtree[child] * block;
      processor += cost_view.send(v, bytes);
      flows.push_back({v, child, bytes, processor});
    }
    sharing.settle(flows);
    for (const Flow& flow : flows) here[flow.to] = flow.end + cost_view.recv(flow.to, flow.bytes);
    here[v] = processor;
  }
  return here;
}

Picos scatter_time(const CostView& cost_view, const WholeTree& tree, double block) {
  const std::vector<Picos> here = scatter_times(cost_view, tree, block);
  return std::max(*std::max_element(here.begin(), here.end()),
                  busiest_link(cost_view, tree, block, false));
}

Picos bundles_down_time(const CostView& cost_view, const WholeTree& tree,
                        std::span<const Rank> roots, std::span<const double> sizes,
                        std::span<const std::vector<Picos>> here) {
  // Of each rank, when it has each bundle.
  const std::size_t n = sizes.size();
  std::vector<Picos> at(static_cast<std::size_t>(tree.size()) * n, 0);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (std::size_t b = 0; b < n; ++b) at[roots[i] * n + b] = here[i][b];
  }
  FlowSharing sharing(cost_view);
  std::vector<Flow> flows;
  std::vector<Picos> through;  // when the connection to each child is free again
  Picos last = 0;
  for (const Rank v : tree.order) {
    const auto children = tree.children_of(v);
    Picos processor = 0;
    through.assign(children.size(), 0);
    // In the order in which they come; one message at a time on each connection.
    std::vector<std::size_t> order(n);
    for (std::size_t b = 0; b < n; ++b) order[b] = b;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return at[v * n + a] < at[v * n + b]; });
    for (const std::size_t b : order) {
      last = std::max(last, at[v * n + b]);
      if (children.empty()) continue;
      flows.clear();
      processor = std::max(processor, at[v * n + b]);
      for (std::size_t k = 0; k < children.size(); ++k) {
        processor += cost_view.send(v, sizes[b]);
        flows.push_back({v, children[k], sizes[b], processor});
      }
      sharing.settle(flows);
      for (std::size_t k = 0; k < children.size(); ++k) {
        const Picos takes = flows[k].end - flows[k].start - flows[k].latency;
        const Picos free = std::max(through[k], flows[k].start + flows[k].latency);
        through[k] = free + takes;
        at[children[k] * n + b] = through[k] + cost_view.recv(children[k], sizes[b]);
      }
    }
  }
  return last;
}

}  // namespace espalier::cost
