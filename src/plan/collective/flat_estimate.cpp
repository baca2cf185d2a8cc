#include "collective/flat_estimate.hpp"

#include <algorithm>
#include <utility>

#include "collective/whole_trees.hpp"

namespace espalier::collective {

using cost::Flow;
using cost::Picos;

FlatEstimate::FlatEstimate(const cost::CostView& costs, const schedule::Collective& of,
                           std::vector<Rank> order)
    : cost_view(costs),
      call(of),
      bytes(static_cast<double>(of.count) * static_cast<double>(of.element.value)),
      size(static_cast<double>(of.size)),
      rounds(costs),
      everybody(std::move(order)) {}

std::vector<Rank> FlatEstimate::from_root() const {
  std::vector<Rank> turned = everybody;
  std::rotate(turned.begin(), std::find(turned.begin(), turned.end(), call.root), turned.end());
  return turned;
}

cost::WholeTree FlatEstimate::tree(Shape shape) const {
  return participants_tree(call.size, from_root(), shape);
}

Picos all_combine(FlatEstimate& at, double bytes, bool scans) {
  const std::vector<Rank>& ranks = at.everybody;
  const Rank size = at.call.size;
  const auto targets = [&](Rank p) { return scans ? size - 1 - p : size - 1; };
  if (size > kCombinedByFlowsUpTo) {  // by what each link has to carry; of a scan half of it
    const double part = static_cast<double>(targets(size / 2)) / (at.size - 1);
    at.rounds.all_to_all(ranks, bytes * part, true);
    return at.rounds.finish();
  }
  std::vector<Flow> flows;
  std::vector<Picos> ends(size, 0);
  for (Rank p = 0; p < size; ++p) {
    Picos& clock = ends[ranks[p]];
    for (Rank step = 1; step <= targets(p); ++step) {
      clock += at.cost_view.send(ranks[p], bytes);
      flows.push_back({ranks[p], ranks[(p + step) % size], bytes, clock});
    }
  }
  cost::FlowSharing(at.cost_view).settle(flows);
  std::stable_sort(flows.begin(), flows.end(),
                   [](const Flow& a, const Flow& b) { return a.end < b.end; });
  Picos last = 0;
  for (const Flow& flow : flows) {
    Picos& end = ends[flow.to];
    end = std::max(end, flow.end) + at.cost_view.recv(flow.to, bytes) +
          at.cost_view.combine(flow.to, bytes);
    last = std::max(last, end);
  }
  return last;
}

}  // namespace espalier::collective
