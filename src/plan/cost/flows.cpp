#include "cost/flows.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::cost {

using sim::kNoResource;
using sim::ResourceId;

namespace {

/// In place of a number of waiting flows: the resource is in the list of shared ones.
constexpr std::uint32_t kListed = ~std::uint32_t{0};

}  // namespace

void Routes::clear() {
  known_.clear();
  resources_.clear();
}

void Routes::add(Rank from, Rank to) {
  cost_view_.find_route(from, to, route_);
  const auto crossed = route_.resources();
  const Picos cap = cost_view_.cap_per_byte(route_);
  Known known{cost_view_.latency(route_),
              cap,
              cap,
              route_.level,
              static_cast<std::uint32_t>(resources_.size()),
              static_cast<std::uint32_t>(crossed.size())};
  for (const ResourceId r : crossed) known.least = std::max(known.least, cost_view_.per_byte(r));
  resources_.insert(resources_.end(), crossed.begin(), crossed.end());
  known_.push_back(known);
}

void Crossings::add(std::span<const ResourceId> route, std::uint32_t messages) {
  for (const ResourceId r : route) add(r, messages);
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
      own_routes_(cost_view),
      left_(cost_view.resources(), 0),
      waiting_(cost_view.resources(), 0) {}

void FlowSharing::settle(std::span<Flow> flows, const Crossings* others) {
  own_routes_.clear();
  for (const Flow& flow : flows) own_routes_.add(flow.from, flow.to);
  settle(flows, own_routes_, 0, others);
}

void FlowSharing::settle(std::span<Flow> flows, const Routes& routes, std::size_t first,
                         const Crossings* others) {
  take_paths(flows, routes, first);
  if (flows.size() == 1) return settle_one(flows.front(), others);
  fill(flows, others);
  list_crossings();
  stagger(flows);
}

void FlowSharing::find_rates(std::span<Flow> flows, const Routes& routes) {
  take_paths(flows, routes, 0);
  if (flows.size() == 1) return settle_one(flows.front(), nullptr);
  fill(flows, nullptr);
}

/// Rates do not depend on bytes and starts.
void FlowSharing::settle_again(std::span<Flow> flows) {
  if (flows.size() > 1) return stagger(flows);
  Flow& flow = flows.front();
  flow.end = flow.start + flow.latency + flow.bytes * flow.per_byte;
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

void FlowSharing::take_paths(std::span<Flow> flows, const Routes& routes, std::size_t first) {
  paths_.clear();
  resources_.clear();
  counts_.clear();
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Routes::Known& known = routes[first + i];
    flows[i].latency = known.latency;
    flows[i].level = known.level;
    const auto crossed = routes.resources(first + i);
    paths_.push_back(
        {static_cast<std::uint32_t>(resources_.size()), known.count, known.cap, known.least});
    resources_.insert(resources_.end(), crossed.begin(), crossed.end());
    counts_.add(crossed);
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

/// The flows that cross each resource that several cross, one resource after the other.
void FlowSharing::list_crossings() {
  shared_.clear();
  std::uint32_t end = 0;
  for (const FlowPath& path : paths_) {
    for (std::uint32_t k = 0; k < path.count; ++k) {
      const ResourceId r = resources_[path.first + k];
      if (waiting_[r] == kListed) continue;
      waiting_[r] = kListed;
      shared_.push_back({r, end});
      end += counts_[r];
    }
  }
  for (const Shared& one : shared_) waiting_[one.resource] = one.begin;
  crossing_.resize(end);
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    for (std::uint32_t k = 0; k < paths_[i].count; ++k) {
      crossing_[waiting_[resources_[paths_[i].first + k]]++] = static_cast<std::uint32_t>(i);
    }
  }
}

/// Those held back by one resource share what it gave them, from their different starts; and
/// nobody gets through any resource on its way earlier than if that were all it had to share.
void FlowSharing::stagger(std::span<Flow> flows) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    Flow& flow = flows[i];
    const Picos per_byte = held_by_[i] == kNoResource ? flow.per_byte : paths_[i].least;
    flow.end = flow.start + flow.latency + flow.bytes * per_byte;
  }
  for (const Shared& one : shared_) {
    const auto here = std::span(crossing_).subspan(one.begin, counts_[one.resource]);
    share(flows, here, one.resource, true);
    share(flows, here, one.resource, false);
  }
}

/// @param held only those that this resource holds back, on what it gave them; else all that cross
///        it and are held back elsewhere, on all it has
void FlowSharing::share(std::span<Flow> flows, std::span<const std::uint32_t> here,
                        ResourceId resource, bool held) {
  const auto is_asked = [&](std::uint32_t i) { return (held_by_[i] == resource) == held; };
  if (std::none_of(here.begin(), here.end(), is_asked)) return;
  sharers_.clear();
  double rate = 0;
  for (const std::uint32_t i : here) {
    if (held && held_by_[i] != resource) continue;
    sharers_.push_back({flows[i].start + flows[i].latency, flows[i].bytes, 0});
    if (held && flows[i].per_byte != 0) rate += 1 / flows[i].per_byte;
  }
  share_equally(sharers_, held ? 1 / rate : cost_view_.per_byte(resource));
  std::size_t k = 0;
  for (const std::uint32_t i : here) {
    if (held && held_by_[i] != resource) continue;
    const Picos end = sharers_[k++].end;
    if (is_asked(i)) flows[i].end = std::max(flows[i].end, end);
  }
}

}  // namespace espalier::cost
