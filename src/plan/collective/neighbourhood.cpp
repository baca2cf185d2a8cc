#include "collective/neighbourhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/contract.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::NeighbourGraph;
using schedule::Operation;

namespace {

constexpr std::array<std::string_view, 3> kRouteNames{"direct", "relayed", "joined"};
constexpr std::string_view kAtLevel = " at level ";

/// The cluster below this level that each rank is in; a process that is in none is one alone.
std::vector<Rank> parts_below(const topology::Machine& machine, std::uint32_t level) {
  std::map<std::uint64_t, Rank> numbers;
  std::vector<Rank> part_of;
  part_of.reserve(machine.size());
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    const std::vector<topology::ClusterId> clusters = machine.clusters_of(rank);
    const std::uint64_t key = level < clusters.size()
                                  ? clusters[level]
                                  : (std::uint64_t{1} << 32U) + rank;  // no cluster has that
    part_of.push_back(numbers.try_emplace(key, static_cast<Rank>(numbers.size())).first->second);
  }
  return part_of;
}

}  // namespace

std::string name_of(const NeighbourPlan& plan) {
  const std::string_view route = kRouteNames[static_cast<std::size_t>(plan.route)];
  return plan.level == 0 ? std::string(route) : fmt::format("{}{}{}", route, kAtLevel, plan.level);
}

std::optional<NeighbourPlan> neighbour_plan_named(std::string_view name) {
  for (std::size_t r = 0; r < kRouteNames.size(); ++r) {
    if (!name.starts_with(kRouteNames[r])) continue;
    NeighbourPlan plan{static_cast<NeighbourRoute>(r), 0};
    std::string_view rest = name.substr(kRouteNames[r].size());
    if (rest.empty()) return plan;
    if (!rest.starts_with(kAtLevel) || plan.route == NeighbourRoute::Direct) return std::nullopt;
    rest.remove_prefix(kAtLevel.size());
    const auto [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), plan.level);
    if (wrong == std::errc() && end == rest.data() + rest.size()) return plan;
  }
  return std::nullopt;
}

std::vector<NeighbourEdge> neighbour_edges(const Collective& call) {
  expects(call.graph != nullptr && schedule::is_neighbourhood(call.operation),
          "neighbour_edges: no neighbourhood collective");
  const NeighbourGraph& graph = *call.graph;
  const bool is_gather = call.operation == Operation::NeighbourAllgather;
  std::vector<NeighbourEdge> edges;
  for (Rank to = 0; to < graph.size(); ++to) {
    const auto sources = graph.sources.of(to);
    const std::vector<std::uint32_t> sent_as = schedule::blocks_sent_to(graph, to);
    for (std::uint32_t place = 0; place < sources.size(); ++place) {
      if (sources[place] == kNoRank) continue;
      const auto before = sources.first(place);
      const bool is_first = std::find(before.begin(), before.end(), sources[place]) == before.end();
      if (is_gather && !is_first) continue;
      edges.push_back({sources[place], is_gather ? 0 : sent_as[place], to, place});
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

NeighbourRoutes::NeighbourRoutes(Rank size, std::vector<NeighbourEdge> straight,
                                 std::vector<NeighbourBundle> bundles)
    : straight_(std::move(straight)),
      bundles_(std::move(bundles)),
      straight_of_(size),
      bundles_of_(size) {
  const auto note = [](std::vector<std::uint32_t>& list, std::uint32_t number) {
    if (list.empty() || list.back() != number) list.push_back(number);
  };
  for (std::uint32_t e = 0; e < straight_.size(); ++e) {
    note(straight_of_[straight_[e].from], e);
    note(straight_of_[straight_[e].to], e);
  }
  for (std::uint32_t b = 0; b < bundles_.size(); ++b) {
    note(bundles_of_[bundles_[b].sender], b);
    note(bundles_of_[bundles_[b].receiver], b);
    for (const NeighbourEdge& edge : bundles_[b].edges) {
      note(bundles_of_[edge.from], b);
      note(bundles_of_[edge.to], b);
    }
  }
}

NeighbourRoutes neighbour_routes(const NeighbourPlan& plan, const Collective& call,
                                 const topology::Machine& machine) {
  expects(machine.size() == call.size, "neighbour_routes: another number of ranks");
  std::vector<NeighbourEdge> all = neighbour_edges(call);
  if (plan.route == NeighbourRoute::Direct) return {call.size, std::move(all), {}};
  const std::vector<Rank> part_of = parts_below(machine, plan.level);
  const auto first_far = std::stable_partition(all.begin(), all.end(), [&](const auto& edge) {
    return part_of[edge.from] == part_of[edge.to];
  });
  const std::vector<NeighbourEdge> far(first_far, all.end());
  all.erase(first_far, all.end());
  auto bundles = plan.route == NeighbourRoute::Relayed ? relayed_bundles(far, part_of)
                                                       : joined_bundles(far, part_of);
  return {call.size, std::move(all), std::move(bundles)};
}

}  // namespace espalier::collective
