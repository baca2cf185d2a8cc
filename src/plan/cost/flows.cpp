#include "cost/flows.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::cost {

using sim::kNoResource;
using sim::ResourceId;

void Crossings::add(const sim::Route& route, std::uint32_t messages) {
  for (const ResourceId r : route.resources()) add(r, messages);
}

void Crossings::add(ResourceId resource, std::uint32_t messages) {
  if (counts_[resource] == 0) touched_.push_back(resource);
  counts_[resource] += messages;
}

void Crossings::clear() {
  for (const ResourceId r : touched_) counts_[r] = 0;
  touched_.clear();
}

void Crossings::thin_out(double part) {
  for (const ResourceId r : touched_) {
    counts_[r] = std::max(1U, static_cast<std::uint32_t>(std::lround(counts_[r] * part)));
  }
}

FlowSharing::FlowSharing(const CostView& cost_view)
    : cost_view_(cost_view),
      counts_(cost_view),
      left_(cost_view.resources(), 0),
      waiting_(cost_view.resources(), 0) {}

void FlowSharing::settle(std::span<Flow> flows, const Crossings* others) {
  find_paths(flows);
  if (flows.size() == 1) return settle_one(flows.front(), others);
  fill(flows, others);
  stagger(flows);
}

/// A flow by itself: the slowest of what it crosses decides.
void FlowSharing::settle_one(Flow& flow, const Crossings* others) {
  const FlowPath& path = paths_.front();
  flow.per_byte = path.alone;
  for (std::uint32_t k = 0; k < path.count; ++k) {
    const ResourceId r = resources_[path.first + k];
    const std::uint32_t all = others != nullptr ? std::max((*others)[r], 1U) : 1U;
    flow.per_byte = std::max(flow.per_byte, all * cost_view_.per_byte(r));
  }
  flow.end = flow.start + flow.latency + flow.bytes * flow.per_byte;
}

void FlowSharing::find_paths(std::span<Flow> flows) {
  paths_.clear();
  resources_.clear();
  counts_.clear();
  for (Flow& flow : flows) {
    cost_view_.find_route(flow.from, flow.to, route_);
    flow.latency = cost_view_.latency(route_);
    flow.level = route_.level;
    const auto crossed = route_.resources();
    const Picos cap = cost_view_.cap_per_byte(route_);
    paths_.push_back({static_cast<std::uint32_t>(resources_.size()),
                      static_cast<std::uint32_t>(crossed.size()), cap, cap});
    for (const ResourceId r : crossed) {
      paths_.back().least = std::max(paths_.back().least, cost_view_.per_byte(r));
    }
    resources_.insert(resources_.end(), crossed.begin(), crossed.end());
    counts_.add(route_);
  }
}

/// Progressive filling. What only one of the flows crosses is a limit of its own.
void FlowSharing::fill(std::span<Flow> flows, const Crossings* others) {
  open_.clear();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    FlowPath& path = paths_[i];
    std::uint32_t shared = 0;
    for (std::uint32_t k = 0; k < path.count; ++k) {
      const ResourceId r = resources_[path.first + k];
      const std::uint32_t all = others != nullptr ? std::max((*others)[r], counts_[r]) : counts_[r];
      if (counts_[r] == 1) {
        path.alone = std::max(path.alone, all * cost_view_.per_byte(r));
        continue;
      }
      left_[r] = 1 / cost_view_.per_byte(r);
      waiting_[r] = all;
      resources_[path.first + shared++] = r;
    }
    path.count = shared;
    open_.push_back(i);
  }
  held_by_.assign(flows.size(), kNoResource);
  shares_.resize(flows.size());
  while (!open_.empty()) {
    double least = 0;
    for (const std::size_t i : open_) {
      shares_[i] = share_of(paths_[i]);
      if (shares_[i].rate != 0 && (least == 0 || shares_[i].rate < least)) least = shares_[i].rate;
    }
    if (least == 0) break;  // nothing limits the rest
    const double enough = least * (1 + 1e-9);
    std::size_t kept = 0, settled = open_.size();
    settled_.clear();
    for (std::size_t k = 0; k < settled; ++k) {
      const std::size_t i = open_[k];
      if (shares_[i].rate == 0 || shares_[i].rate > enough) {
        open_[kept++] = i;
        continue;
      }
      flows[i].per_byte = 1 / shares_[i].rate;
      held_by_[i] = shares_[i].holder;
      settled_.push_back(i);
    }
    open_.resize(kept);
    for (const std::size_t i : settled_) {
      for (std::uint32_t k = 0; k < paths_[i].count; ++k) {
        const ResourceId r = resources_[paths_[i].first + k];
        left_[r] = std::max(0.0, left_[r] - least);
        --waiting_[r];
      }
    }
  }
  for (const std::size_t i : open_) flows[i].per_byte = 0;
}

/// What a flow would get now, and what holds it back; a rate of 0: nothing does.
FlowSharing::RateAndHolder FlowSharing::share_of(const FlowPath& path) const {
  RateAndHolder share{path.alone == 0 ? 0 : 1 / path.alone, kNoResource};
  for (std::uint32_t k = 0; k < path.count; ++k) {
    const ResourceId r = resources_[path.first + k];
    const double rate = left_[r] / waiting_[r];
    if (share.rate == 0 || rate < share.rate) share = {rate, r};
  }
  return share;
}

/// Those held back by one resource share what it gave them, from their different starts; and
/// nobody gets through any resource on its way earlier than if that were all it had to share.
void FlowSharing::stagger(std::span<Flow> flows) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    Flow& flow = flows[i];
    const Picos per_byte = held_by_[i] == kNoResource ? flow.per_byte : paths_[i].least;
    flow.end = flow.start + flow.latency + flow.bytes * per_byte;
  }
  crossing_.clear();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (std::uint32_t k = 0; k < paths_[i].count; ++k) {
      crossing_.push_back({resources_[paths_[i].first + k], static_cast<std::uint32_t>(i)});
    }
  }
  std::sort(crossing_.begin(), crossing_.end());
  for (std::size_t begin = 0; begin < crossing_.size();) {
    const ResourceId resource = crossing_[begin].first;
    std::size_t end = begin;
    while (end < crossing_.size() && crossing_[end].first == resource) ++end;
    const auto here = std::span(crossing_).subspan(begin, end - begin);
    share(flows, here, resource, true);
    share(flows, here, resource, false);
    begin = end;
  }
}

/// @param held only those that this resource holds back, on what it gave them; else all that cross
///        it and are held back elsewhere, on all it has
void FlowSharing::share(std::span<Flow> flows,
                        std::span<const std::pair<ResourceId, std::uint32_t>> here,
                        ResourceId resource, bool held) {
  sharers_.clear();
  double rate = 0;
  bool any = false;
  for (const auto& [r, i] : here) {
    const bool mine = held_by_[i] == resource;
    any = any || mine == held;
    if (held && !mine) continue;
    sharers_.push_back({flows[i].start + flows[i].latency, flows[i].bytes, 0});
    if (flows[i].per_byte != 0) rate += 1 / flows[i].per_byte;
  }
  if (!any) return;
  share_equally(sharers_, held ? 1 / rate : cost_view_.per_byte(resource));
  std::size_t k = 0;
  for (const auto& [r, i] : here) {
    const bool mine = held_by_[i] == resource;
    if (held && !mine) continue;
    const Picos end = sharers_[k++].end;
    if (mine == held) flows[i].end = std::max(flows[i].end, end);
  }
}

}  // namespace espalier::cost
