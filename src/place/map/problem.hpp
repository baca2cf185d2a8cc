#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.hpp"
#include "map/inventory.hpp"
#include "profile/profile.hpp"

namespace espalier::map {

/// What the user wants besides speed.
struct Constraints {
  std::vector<std::string> exclude;                ///< hosts that are not to be used
  std::vector<std::pair<Rank, std::string>> pins;  ///< a process and its host
  std::uint32_t per_node = 0;                      ///< processes on one host at most; 0: slots
};

/// A place for one process.
struct Slot {
  topology::Leaf leaf = 0;
  std::uint32_t host = 0;     ///< into Inventory::hosts
  std::uint32_t cluster = 0;  ///< into Problem::clusters
  std::uint64_t speed_millionths = 1'000'000;
};

/// Between two processes, both directions together.
struct Edge {
  Rank other = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Processes to be put into slots. Refers to the inventory and profile it was made of.
struct Problem {
  const Inventory* inventory = nullptr;
  const profile::Profile* profile = nullptr;
  std::vector<Slot> slots;  ///< that may be used, in the order of the listing; host by host
  std::vector<std::string> clusters;
  std::vector<std::uint32_t> pinned;  ///< of each process: its slot, or kFree
  std::vector<std::uint32_t> first_edge;
  std::vector<Edge> edges;  ///< of each process, by the other

  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  [[nodiscard]] Rank size() const { return static_cast<Rank>(pinned.size()); }
  [[nodiscard]] const topology::Machine& machine() const { return inventory->machine; }
  [[nodiscard]] std::span<const Edge> edges_of(Rank process) const {
    return std::span(edges).subspan(first_edge[process],
                                    first_edge[process + 1] - first_edge[process]);
  }
  [[nodiscard]] topology::Path path(std::uint32_t slot_a, std::uint32_t slot_b) const {
    return machine().path(slots[slot_a].leaf, slots[slot_b].leaf);
  }
  /// What an edge's messages take if they go one by one between these slots.
  [[nodiscard]] Time cost(const Edge& edge, std::uint32_t slot_a, std::uint32_t slot_b) const;
};

/// The slot of each process.
using Placement = std::vector<std::uint32_t>;

/// Refuses more processes than free slots, a pin to an unknown, excluded, down or full host, an
/// excluded host that is unknown. Hosts that are busy or down have no slots.
/// @pre inventory and profile outlive the problem
Expected<Problem> make_problem(const Inventory& inventory, const profile::Profile& profile,
                               const Constraints& constraints);

/// The sum of all edges' costs: no order of dependence, no waiting; for search among many.
[[nodiscard]] Time total_cost(const Problem& problem, const Placement& placement);

/// Puts pinned processes where they belong; who stands there takes their place.
void obey_pins(const Problem& problem, Placement& placement);

/// Each process in a slot of its own, pins obeyed.
[[nodiscard]] bool is_valid(const Problem& problem, const Placement& placement);

/// How much two processes want to be near each other, for each of `problem.edges`: a whole number,
/// at least 1, that grows with what the edge costs on the slowest path of the machine.
[[nodiscard]] std::vector<std::int32_t> affinities(const Problem& problem);

}  // namespace espalier::map
