#include "sim/fair_shares.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::sim {
namespace {

using Work = unsigned __int128;

/// Rounded up. Most flows fit into 64 bits, where dividing is several times faster.
Time time_for(Work work, std::uint64_t rate) {
  if (rate == 0) return kForever;
  constexpr Work kMost = ~std::uint64_t{0};
  if (work + rate <= kMost) {
    const std::uint64_t time = (static_cast<std::uint64_t>(work) + rate - 1) / rate;
    return Time{static_cast<std::int64_t>(std::min<std::uint64_t>(time, INT64_MAX))};
  }
  const Work time = (work + rate - 1) / rate;
  return time < static_cast<Work>(INT64_MAX) ? Time{static_cast<std::int64_t>(time)} : kForever;
}

}  // namespace

FairShares::FairShares(std::span<const Resource> resources, std::size_t longest_route)
    : links_(resources.size()), stride_(longest_route) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    links_[i].capacity = resources[i].capacity.bits_per_second;
  }
}

std::uint64_t FairShares::Link::share() const {
  return capacity == 0 ? 0 : std::max<std::uint64_t>(1, left / open);
}

void FairShares::begin(Time now, std::uint32_t owner, std::uint64_t bytes, const Route& route) {
  FlowId id = 0;
  if (free_.empty()) {
    id = static_cast<FlowId>(flows_.size());
    flows_.emplace_back();
    hops_.resize(hops_.size() + stride_);
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[id];
  flow = Flow{};
  flow.remaining = Work{bytes} * 8'000'000'000'000ULL;
  flow.updated = now;
  flow.owner = owner;
  flow.ceiling = route.cap.bits_per_second;
  flow.hops = static_cast<std::uint32_t>(route.resources.size());
  for (const ResourceId r : route.resources) {
    if (links_[r].capacity >= flow.ceiling) continue;
    flow.ceiling = links_[r].capacity;
    flow.narrowest = r;
  }
  expects(flow.ceiling != kUnlimited.bits_per_second, "FairShares::begin: nothing limits it");
  Hop* hop = hops_of(id).data();
  for (const ResourceId r : route.resources) {
    Link& link = links_[r];
    if (link.flows.empty()) link.busy_since = now;
    *hop++ = {r, static_cast<std::uint32_t>(link.flows.size())};
    link.flows.push_back(id);
    link.demand += flow.ceiling;
    if (link.contended()) mark_dirty(r);
  }
  fresh_.push_back(id);
  ends_.push_back(id);
  sift(ends_.size() - 1);
}

FairShares::Ended FairShares::end_first(Time now) {
  expects(next_end() <= now, "FairShares::end_first: nothing ends yet");
  const FlowId id = ends_[0];
  const Flow& flow = flows_[id];
  for (const Hop& hop : hops_of(id)) {
    Link& link = links_[hop.resource];
    if (link.contended()) mark_dirty(hop.resource);
    link.demand -= flow.ceiling;
    // The last one takes its place.
    const FlowId moved = link.flows.back();
    link.flows[hop.place] = moved;
    link.flows.pop_back();
    if (moved != id) {
      for (Hop& other : hops_of(moved)) {
        if (other.resource == hop.resource) other.place = hop.place;
      }
    }
    if (link.flows.empty()) link.busy += now - link.busy_since;
  }
  const FlowId last = ends_.back();
  ends_.pop_back();
  if (last != id) {
    place_in_heap(0, last);
    sift(0);
  }
  free_.push_back(id);
  return {flow.owner, flow.slowed_by};
}

void FairShares::mark_dirty(ResourceId resource) {
  if (links_[resource].dirty) return;
  links_[resource].dirty = true;
  dirty_.push_back(resource);
}

void FairShares::work_out_rates(Time now) {
  find_reach();
  fill();
  for (const FlowId flow : reached_flows_) apply_rate(flow, now);
}

/// All flows whose rates can have changed, and the contended resources on their routes: what can be
/// reached from a change by way of contended resources. Others are never full, so what happens on
/// them is no business of the flows beside.
void FairShares::find_reach() {
  ++round_;
  reached_flows_.clear();
  reached_links_.clear();
  candidates_.clear();
  for (const FlowId flow : fresh_) reach_flow(flow);
  for (const ResourceId r : dirty_) {
    Link& link = links_[r];
    link.dirty = false;
    // A dirty link that is no longer contended still frees those it held back.
    if (link.seen == round_) continue;
    for (const FlowId flow : link.flows) reach_flow(flow);
  }
  fresh_.clear();
  dirty_.clear();
  for (std::size_t i = 0; i < reached_links_.size(); ++i) {
    for (const FlowId flow : links_[reached_links_[i]].flows) reach_flow(flow);
  }
}

void FairShares::reach_flow(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.seen == round_) return;
  flow.seen = round_;
  flow.open = true;
  reached_flows_.push_back(id);
  std::uint64_t held_below = ~std::uint64_t{0};
  for (const Hop& hop : hops_of(id)) {
    Link& link = links_[hop.resource];
    if (!link.contended()) continue;
    held_below = std::min(held_below, link.capacity);
    if (link.seen == round_) continue;
    link.seen = round_;
    link.left = link.capacity;
    link.open = static_cast<std::uint32_t>(link.flows.size());
    reached_links_.push_back(hop.resource);
    candidates_.push_back({link.share(), hop.resource, false});
  }
  // A contended resource holds the flow below its capacity anyway.
  if (flow.ceiling < held_below) candidates_.push_back({flow.ceiling, id, true});
}

/// Progressive filling: the resource with the least share is full first, and its flows have their
/// rate. Of equal ones the lower id goes first, resources before flows.
void FairShares::fill() {
  const auto later = [](const Candidate& a, const Candidate& b) {
    if (a.level != b.level) return a.level > b.level;
    return a.is_flow != b.is_flow ? a.is_flow : a.id > b.id;
  };
  std::make_heap(candidates_.begin(), candidates_.end(), later);
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), later);
    const Candidate least = candidates_.back();
    candidates_.pop_back();
    if (least.is_flow) {
      if (flows_[least.id].open) fix(least.id, least.level, flows_[least.id].narrowest);
      continue;
    }
    Link& link = links_[least.id];
    if (link.open == 0) continue;
    if (const std::uint64_t share = link.share(); share > least.level) {
      candidates_.push_back({share, least.id, false});  // others took less than their share
      std::push_heap(candidates_.begin(), candidates_.end(), later);
      continue;
    }
    for (const FlowId flow : link.flows) {
      if (flows_[flow].open) fix(flow, least.level, least.id);
    }
  }
}

void FairShares::fix(FlowId id, std::uint64_t rate, ResourceId by) {
  Flow& flow = flows_[id];
  flow.open = false;
  flow.new_rate = rate;
  flow.slowed_by = by;
  for (const Hop& hop : hops_of(id)) {
    Link& link = links_[hop.resource];
    if (link.seen != round_) continue;
    link.left -= std::min(link.left, rate);
    --link.open;
  }
}

void FairShares::apply_rate(FlowId id, Time now) {
  Flow& flow = flows_[id];
  if (flow.new_rate == flow.rate && flow.end != kForever) return;
  const Work moved = Work{flow.rate} * static_cast<std::uint64_t>((now - flow.updated).picoseconds);
  flow.remaining -= std::min(flow.remaining, moved);
  flow.updated = now;
  flow.rate = flow.new_rate;
  flow.end = now + time_for(flow.remaining, flow.rate);
  sift(flow.heap_place);
}

bool FairShares::ends_before(FlowId a, FlowId b) const {
  const Flow& x = flows_[a];
  const Flow& y = flows_[b];
  return x.end != y.end ? x.end < y.end : x.owner < y.owner;
}

void FairShares::place_in_heap(std::size_t place, FlowId flow) {
  ends_[place] = flow;
  flows_[flow].heap_place = static_cast<std::uint32_t>(place);
}

/// Moves the flow at this place up or down to where it belongs.
void FairShares::sift(std::size_t place) {
  const FlowId flow = ends_[place];
  while (place > 0 && ends_before(flow, ends_[(place - 1) / 2])) {
    place_in_heap(place, ends_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (std::size_t child = 2 * place + 1; child < ends_.size(); child = 2 * place + 1) {
    if (child + 1 < ends_.size() && ends_before(ends_[child + 1], ends_[child])) ++child;
    if (!ends_before(ends_[child], flow)) break;
    place_in_heap(place, ends_[child]);
    place = child;
  }
  place_in_heap(place, flow);
}

std::uint64_t FairShares::rate_of(std::uint32_t owner) const {
  for (const FlowId id : ends_) {
    if (flows_[id].owner == owner) return flows_[id].rate;
  }
  return 0;
}

}  // namespace espalier::sim
