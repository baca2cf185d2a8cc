#include "cost/cost_view.hpp"

#include "base/contract.hpp"
#include "cost/equal_parts.hpp"

namespace espalier::cost {
namespace {

using sim::Resource;

/// The level on whose channel a resource lies.
std::uint32_t level_of(const Resource& resource, const topology::Machine& machine) {
  const auto clusters = machine.clusters();
  switch (resource.kind) {
    case Resource::Kind::LeafOut:
    case Resource::Kind::LeafIn:
    case Resource::Kind::LeafBoth:
      return clusters[machine.cluster_of(resource.id)].depth;
    case Resource::Kind::ClusterOut:
    case Resource::Kind::ClusterIn:
    case Resource::Kind::ClusterBoth:
      return clusters[resource.id].depth - 1;
    default:
      return clusters[resource.id].depth;
  }
}

}  // namespace

CostView::CostView(const topology::Machine& machine, std::span<const CostScale> scales,
                   double processor, const topology::Transport& transport)
    : machine_(machine),
      network_(machine),
      scales_(scales.begin(), scales.end()),
      transport_(transport) {
  expects(scales.empty() || scales.size() == machine.levels().size(),
          "CostView: not one scale for each level");
  per_byte_.reserve(network_.resources().size());
  for (const Resource& resource : network_.resources()) {
    Picos each = per_byte_of(resource.capacity);
    if (!scales_.empty()) each *= scales_[level_of(resource, machine)].per_byte;
    per_byte_.push_back(each);
  }
  costs_.reserve(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) {
    const topology::NodeCosts& costs = machine.costs(r);
    costs_.push_back({processor * static_cast<double>(costs.send.fixed.picoseconds),
                      processor * per_byte_of(costs.send.rate),
                      processor * static_cast<double>(costs.recv.fixed.picoseconds),
                      processor * per_byte_of(costs.recv.rate),
                      processor * per_byte_of(costs.reduce)});
  }
}

std::uint32_t CostView::class_of(topology::ClusterId cluster) const {
  if (classes_.empty()) classes_ = classes_of_clusters(machine_);
  return classes_[cluster];
}

Picos per_byte_of(Bandwidth bandwidth) {
  if (bandwidth.unlimited()) return 0;
  return 8e12 / static_cast<double>(bandwidth.bits_per_second);
}

Picos CostView::latency(const sim::Route& route) const {
  const auto plain = static_cast<Picos>(route.latency.picoseconds);
  return scales_.empty() ? plain : plain * scales_[route.level].latency;
}

Picos CostView::cap_per_byte(const sim::Route& route) const {
  const Picos plain = per_byte_of(route.cap);
  return scales_.empty() ? plain : plain * scales_[route.level].per_byte;
}

}  // namespace espalier::cost
