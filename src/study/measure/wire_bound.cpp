#include <algorithm>

#include "bound/lower_bound.hpp"
#include "measure/measured.hpp"
#include "topology/views.hpp"

namespace espalier::measure {
namespace {

constexpr std::uint64_t kOnTheWire = 1538;  // preamble, headers, checks and gap of 1500 bytes
constexpr std::uint64_t kPayload = 1448;    // without IP, TCP and its time stamps

bool has_costs_for_bytes(const topology::Machine& machine) {
  for (Rank r = 0; r < machine.size(); ++r) {
    const topology::NodeCosts& costs = machine.costs(r);
    if (!costs.send.rate.unlimited() || !costs.recv.rate.unlimited() || !costs.reduce.unlimited()) {
      return true;
    }
  }
  return false;
}

}  // namespace

Time wire_bound(const topology::Machine& machine, const MeasuredCall& call) {
  if (!call.members.empty()) {
    const auto it = std::find(call.members.begin(), call.members.end(), call.root);
    const Rank root =
        call.root == kEveryRoot ? kEveryRoot : static_cast<Rank>(it - call.members.begin());
    return wire_bound(topology::submachine(machine, call.members),
                      {call.kind, call.size, root, {}, call.counts});
  }
  if (call.root == kEveryRoot) {
    Time sum;
    for (Rank root = 0; root < machine.size(); ++root) {
      sum += wire_bound(machine, {call.kind, call.size, root, {}, call.counts});
    }
    return Time{sum.picoseconds / machine.size()};
  }
  schedule::Collective planned;
  planned.operation = call.kind.operation;
  planned.size = machine.size();
  planned.root = call.root;
  const auto on_the_wire = [&](std::uint64_t bytes) {
    return has_costs_for_bytes(machine) ? bytes : bytes * kOnTheWire / kPayload;
  };
  planned.count = on_the_wire(call.size.value);
  if (!call.counts.empty()) planned.count = 0;
  for (const std::uint64_t count : call.counts) planned.counts.push_back(on_the_wire(8 * count));
  return bound::lower_bound(machine, planned).value;
}

}  // namespace espalier::measure
