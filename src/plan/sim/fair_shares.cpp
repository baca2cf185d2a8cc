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

FairShares::FairShares(std::span<const Resource> resources, std::size_t longest_route,
                       bool weighted)
    : links_(resources.size()),
      uses_(resources.size()),
      stride_(longest_route),
      weighted_(weighted) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    links_[i].scale = weighted ? kLevelsPerBit : 1;
    links_[i].capacity = resources[i].capacity.bits_per_second;
    links_[i].inward = resources[i].kind == Resource::Kind::LeafIn ||
                       resources[i].kind == Resource::Kind::ClusterIn;
  }
}

FairShares::FlowId FairShares::new_flow() {
  if (!free_.empty()) {
    const FlowId id = free_.back();
    free_.pop_back();
    return id;
  }
  flows_.emplace_back();
  progress_.emplace_back();
  hops_.resize(hops_.size() + stride_);
  places_.resize(places_.size() + stride_);
  slots_.resize(slots_.size() + stride_);
  contended_.resize(contended_.size() + stride_);
  open_.push_back(0);
  return static_cast<FlowId>(flows_.size() - 1);
}

void FairShares::begin(Time now, std::uint32_t owner, std::uint64_t bytes, const Route& route,
                       std::uint32_t weight) {
  expects(weight >= 1 && weight <= (weighted_ ? kMostWeight : 1), "FairShares::begin: its weight");
  const FlowId id = new_flow();
  Flow flow;
  flow.weight = weight;
  flow.ceiling = route.cap.bits_per_second;
  flow.hops = static_cast<std::uint32_t>(route.resources().size());
  Progress progress;
  progress.remaining = Work{bytes} * 8'000'000'000'000ULL;
  progress.updated = now;
  progress.owner = owner;
  for (const ResourceId r : route.resources()) {
    if (links_[r].capacity >= flow.ceiling) continue;
    flow.ceiling = links_[r].capacity;
    progress.narrowest = r;
  }
  expects(flow.ceiling != kUnlimited.bits_per_second, "FairShares::begin: nothing limits it");
  std::copy(route.resources().begin(), route.resources().end(), &hops_[id * stride_]);
  flows_[id] = flow;
  progress_[id] = progress;
  const Doors doors = doors_of(route);
  for (std::size_t i = 0; i < flow.hops; ++i) join(id, id * stride_ + i, now, doors);
  fresh_.push_back(id);
  ends_.push_back(id);
  sift(ends_.size() - 1);
}

FairShares::Ended FairShares::end_first(Time now) {
  expects(next_end() <= now, "FairShares::end_first: nothing ends yet");
  const FlowId id = ends_[0];
  slowest_change_ = std::min(slowest_change_, flows_[id].level);
  for (std::size_t i = 0; i < flows_[id].hops; ++i) leave(id, id * stride_ + i, now);
  const FlowId last = ends_.back();
  ends_.pop_back();
  if (last != id) {
    place_in_heap(0, last);
    sift_down(0);
  }
  free_.push_back(id);
  return {progress_[id].owner, flows_[id].slowed_by};
}

FairShares::Doors FairShares::doors_of(const Route& route) const {
  std::uint64_t least = ~std::uint64_t{0};
  Doors doors;
  for (const ResourceId r : route.resources()) {
    if (links_[r].capacity > least) continue;
    if (links_[r].capacity < least) doors.first = r;
    least = links_[r].capacity;
    doors.last = r;
  }
  return doors;
}

void FairShares::join(FlowId id, std::size_t hop, Time now, const Doors& doors) {
  const ResourceId r = hops_[hop];
  LinkUse& use = uses_[r];
  Link& link = links_[r];
  if (use.flows.empty()) use.busy_since = now;
  places_[hop] = static_cast<std::uint32_t>(use.flows.size());
  use.flows.push_back(id);
  use.weight += flows_[id].weight;
  // Of equally narrow doors the one on its own side: more of its flows have that in common.
  const ResourceId door = link.inward ? doors.last : doors.first;
  slots_[hop] =
      use.demand.add(door == r ? kNoResource : door, links_[door].capacity, flows_[id].ceiling);
  link.contended = use.demand.exceeds(link.capacity);
  if (link.contended) mark_dirty(r);
}

void FairShares::leave(FlowId id, std::size_t hop, Time now) {
  const ResourceId r = hops_[hop];
  LinkUse& use = uses_[r];
  Link& link = links_[r];
  if (link.contended) mark_dirty(r);
  use.demand.remove(slots_[hop], flows_[id].ceiling);
  use.weight -= flows_[id].weight;
  link.contended = use.demand.exceeds(link.capacity);
  remove_from(r, places_[hop]);
  if (use.flows.empty()) use.busy += now - use.busy_since;
}

/// The last one takes its place.
void FairShares::remove_from(ResourceId resource, std::uint32_t place) {
  std::vector<FlowId>& flows = uses_[resource].flows;
  const FlowId moved = flows.back();
  flows[place] = moved;
  flows.pop_back();
  const auto route = route_of(moved);
  const auto hop = std::find(route.begin(), route.end(), resource) - route.begin();
  places_[moved * stride_ + static_cast<std::size_t>(hop)] = place;
}

void FairShares::mark_dirty(ResourceId resource) {
  if (links_[resource].dirty) return;
  links_[resource].dirty = true;
  dirty_.push_back(resource);
}

/// Where most flows change, putting the heap in order once is cheaper than one by one.
void FairShares::apply_rates(Time now) {
  const bool many = reached_flows_.size() > ends_.size() / 8;
  for (const FlowId flow : reached_flows_) {
    if (apply_rate(flow, now) && !many) sift(progress_[flow].heap_place);
  }
  for (std::size_t place = many ? ends_.size() / 2 : 0; place > 0; --place) sift_down(place - 1);
}

/// Whether that changes when it ends.
bool FairShares::apply_rate(FlowId id, Time now) {
  Progress& progress = progress_[id];
  Flow& flow = flows_[id];
  if (flow.new_rate == flow.rate) return false;
  if (flow.rate != kFresh) {
    const auto passed = static_cast<std::uint64_t>((now - progress.updated).picoseconds);
    progress.remaining -= std::min(progress.remaining, Work{flow.rate} * passed);
  }
  progress.updated = now;
  flow.rate = flow.new_rate;
  progress.end = now + time_for(progress.remaining, flow.rate);
  return true;
}

bool FairShares::ends_before(FlowId a, FlowId b) const {
  const Progress& x = progress_[a];
  const Progress& y = progress_[b];
  return x.end != y.end ? x.end < y.end : x.owner < y.owner;
}

void FairShares::place_in_heap(std::size_t place, FlowId flow) {
  ends_[place] = flow;
  progress_[flow].heap_place = static_cast<std::uint32_t>(place);
}

/// Moves the flow at this place up or down to where it belongs.
void FairShares::sift(std::size_t place) {
  const FlowId flow = ends_[place];
  while (place > 0 && ends_before(flow, ends_[(place - 1) / 2])) {
    place_in_heap(place, ends_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  place_in_heap(place, flow);
  sift_down(place);
}

void FairShares::sift_down(std::size_t place) {
  const FlowId flow = ends_[place];
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
    if (progress_[id].owner == owner) return flows_[id].rate;
  }
  return 0;
}

}  // namespace espalier::sim
