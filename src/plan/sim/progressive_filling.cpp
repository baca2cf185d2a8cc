// The other half of FairShares: which flows a change can reach, and their new rates.
#include <algorithm>

#include "sim/fair_shares.hpp"

namespace espalier::sim {

std::uint64_t FairShares::Link::share() const {
  return capacity == 0 ? 0 : std::max<std::uint64_t>(1, left * scale / open);
}

void FairShares::work_out_rates(Time now) {
  find_reach();
  fill();
  apply_rates(now);
}

/// All flows whose rates can have changed, and the contended resources on their routes.
void FairShares::find_reach() {
  ++round_;
  reached_flows_.clear();
  reached_links_.clear();
  candidates_.clear();
  find_slowest_change();
  for (const FlowId flow : fresh_) reach_flow(flow);
  for (const ResourceId r : dirty_) {
    Link& link = links_[r];
    link.dirty = false;
    if (link.seen == round_) continue;
    if (link.contended) {
      see_link(r);
    } else {  // no longer: it frees those it held back
      looks_ += uses_[r].flows.size();
      for (const FlowId flow : uses_[r].flows) {
        if (flows_[flow].level >= slowest_change_) reach_flow(flow);
      }
    }
  }
  for (std::size_t i = 0; i < reached_links_.size(); ++i) reach_link(reached_links_[i]);
  looks_ += reached_flows_.size();
  fresh_.clear();
  dirty_.clear();
  slowest_change_ = kFresh;
}

/// Of the flows that ended it is known. One that began will have an equal share of some resource at
/// the least.
void FairShares::find_slowest_change() {
  for (const FlowId id : fresh_) {
    std::uint64_t least = level_at(flows_[id].ceiling, flows_[id].weight);
    for (const ResourceId r : route_of(id)) {
      const Link& link = links_[r];
      if (link.contended) least = std::min(least, link.capacity * link.scale / uses_[r].weight);
    }
    slowest_change_ = std::min(slowest_change_, least);
  }
}

void FairShares::see_link(ResourceId resource) {
  Link& link = links_[resource];
  link.seen = round_;
  link.left = link.capacity;
  link.open = 0;
  reached_links_.push_back(resource);
}

/// Mostly all of its flows were reached by way of others, and need not be looked at again.
void FairShares::reach_link(ResourceId resource) {
  Link& link = links_[resource];
  const std::vector<FlowId>& flows = uses_[resource].flows;
  if (link.open < uses_[resource].weight) {
    looks_ += flows.size();
    for (const FlowId id : flows) {
      const Flow& flow = flows_[id];
      if (flow.level < slowest_change_) {
        link.left -= std::min(link.left, flow.rate);
      } else if (flow.seen != round_) {
        reach_flow(id);
      }
    }
  }
  if (link.open > 0) candidates_.push_back({link.share(), resource, false});
}

void FairShares::reach_flow(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.seen == round_) return;
  flow.seen = round_;
  open_[id] = 1;
  reached_flows_.push_back(id);
  std::uint64_t held_below = ~std::uint64_t{0};
  ResourceId* const contended = &contended_[id * stride_];
  std::uint32_t count = 0;
  for (const ResourceId r : route_of(id)) {
    Link& link = links_[r];
    if (!link.contended) continue;
    held_below = std::min(held_below, link.capacity);
    contended[count++] = r;
    if (link.seen != round_) see_link(r);
    link.open += flow.weight;
  }
  flow.contended = count;
  // A contended resource holds the flow below its capacity anyway.
  if (flow.ceiling < held_below) {
    candidates_.push_back({level_at(flow.ceiling, flow.weight), id, true});
  }
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
      if (open_[least.id] != 0) fix(least.id, least.level, progress_[least.id].narrowest);
      continue;
    }
    Link& link = links_[least.id];
    if (link.open == 0) continue;
    if (const std::uint64_t share = link.share(); share > least.level) {
      candidates_.push_back({share, least.id, false});  // others took less than their share
      std::push_heap(candidates_.begin(), candidates_.end(), later);
      continue;
    }
    looks_ += uses_[least.id].flows.size();
    for (const FlowId flow : uses_[least.id].flows) {
      if (open_[flow] != 0) fix(flow, least.level, least.id);
    }
  }
}

void FairShares::fix(FlowId id, std::uint64_t level, ResourceId by) {
  Flow& flow = flows_[id];
  const std::uint64_t rate = rate_at(level, flow);
  open_[id] = 0;
  flow.level = level;
  flow.new_rate = rate;
  flow.slowed_by = by;
  for (const ResourceId r : std::span(contended_).subspan(id * stride_, flow.contended)) {
    Link& link = links_[r];
    link.left -= std::min(link.left, rate);
    link.open -= flow.weight;
  }
}

}  // namespace espalier::sim
