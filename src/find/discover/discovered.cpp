#include "discover/discovered.hpp"

#include <algorithm>
#include <numeric>

#include "discover/assemble.hpp"
#include "discover/classes.hpp"
#include "discover/doubts.hpp"
#include "discover/rates.hpp"

namespace espalier::discover {
namespace {

/// Those with the same labels side by side, then by name: host9 before host10 or not, neighbours
/// are neighbours.
std::vector<Node> likely_order(std::span<const NodeInfo> nodes) {
  std::vector<Node> order(nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](Node a, Node b) {
    return std::tie(nodes[a].place, nodes[a].name) < std::tie(nodes[b].place, nodes[b].name);
  });
  return order;
}

}  // namespace

Expected<Discovered> discover(Prober& real, std::span<const NodeInfo> nodes, const Budget& budget) {
  DoubtingProber prober(real);
  expects(prober.size() == nodes.size() && !nodes.empty(), "discover: not an entry for each node");
  auto seen = survey(prober, likely_order(nodes), budget);
  if (!seen) return seen.error();
  FoundCluster found = with_latencies(*seen);
  // What is noise in a node's cost must not come back as if it were its links'.
  const std::vector<UnusualNode> unusual = unusual_nodes(found, seen->costs);
  seen->costs = without_noise(found, seen->costs, unusual);
  group_costs(seen->costs);
  seen->links = links_seen(seen->round_trips, seen->costs);
  found = with_latencies(*seen);
  const Time until = deadline(budget, seen->round_trips);
  const Time surveyed = prober.spent();
  auto calibrated = calibrate(prober, found, seen->costs, until, budget.pair_rates);
  if (!calibrated) return calibrated.error();
  group_figures(found);
  const Time after_calibration = prober.spent();
  Expected<std::vector<std::optional<EagerLimit>>> eager = std::vector<std::optional<EagerLimit>>{};
  if (budget.eager_limits) eager = find_eager_limits(prober, found, until);
  if (!eager) return eager.error();
  const bool clusters_resolved = !seen->out_of_time && seen->uncompared == 0;
  auto machine = assemble(found, seen->costs, nodes);
  if (!machine) return machine.error();
  return Discovered{std::move(*machine),
                    in_words(found, unusual, nodes, *eager),
                    fit_of(*seen, found, nodes),
                    std::move(*eager),
                    seen->probes,
                    prober.spent(),
                    surveyed,
                    after_calibration - surveyed,
                    clusters_resolved,
                    *calibrated && clusters_resolved,
                    doubts_of(prober.repeated(), prober.spread(), prober.spent(), until)};
}

}  // namespace espalier::discover
