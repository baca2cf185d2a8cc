#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.hpp"
#include "map/inventory.hpp"
#include "profile/profile.hpp"

namespace espalier::map {

/// What the user demands besides speed.
struct Constraints {
  std::vector<std::string> exclude;  ///< names of hosts and clusters that must not be used
  std::vector<std::pair<Rank, std::string>> pins;  ///< processes that must run on the host named
  std::uint32_t per_node = 0;  ///< most processes on one host; 0: as many as it has slots
};

/// A place for one process.
struct Slot {
  topology::Leaf leaf = 0;
  std::uint32_t host = 0;     ///< index into Inventory::hosts
  std::uint32_t cluster = 0;  ///< index into Problem::clusters
  std::uint64_t speed_millionths = 1'000'000;
  /// Which slots are alike: those of one host and one innermost cluster, such as a socket. Counted
  /// from 0 along Problem::slots.
  std::uint32_t part = 0;
};

/// Traffic of a process with another one, both directions together.
struct Edge {
  Rank other = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Processes to be put into slots. Refers to the inventory and profile it was made of.
struct Problem {
  const Inventory* inventory = nullptr;
  const profile::Profile* profile = nullptr;
  std::vector<Slot> slots;  ///< usable slots, host by host as the inventory lists them
  std::uint32_t parts = 0;  ///< number of different Slot::part
  std::vector<std::string> clusters;
  std::vector<std::uint32_t> pinned;  ///< slot that each process is pinned to, or kFree
  std::vector<std::uint32_t> first_edge;
  std::vector<Edge> edges;  ///< edges of process 0, then of 1, ...; each ordered by `other`

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
  /// Time of an edge's messages if they go one by one between these slots.
  [[nodiscard]] Time cost(const Edge& edge, std::uint32_t slot_a, std::uint32_t slot_b) const;
};

/// The slot of each process.
using Placement = std::vector<std::uint32_t>;

/// Says why so many processes, or pairs of them, are not placed by a command: it would take
/// minutes.
[[nodiscard]] std::optional<Error> why_too_much(const profile::Profile& profile);

/// Refuses more processes than free slots, a pin to an unknown, excluded, down or full host, an
/// excluded host that is unknown. Hosts that are busy or down have no slots.
/// @pre inventory and profile outlive the problem
Expected<Problem> make_problem(const Inventory& inventory, const profile::Profile& profile,
                               const Constraints& constraints);

/// The sum of all edges' costs. Ignores the order of messages and waiting: quick, for searches.
[[nodiscard]] Time total_cost(const Problem& problem, const Placement& placement);

/// Moves pinned processes to their slots; the process in such a slot gets the one left.
void obey_pins(const Problem& problem, Placement& placement);

/// Whether each process has a slot of its own and pins are obeyed.
[[nodiscard]] bool is_valid(const Problem& problem, const Placement& placement);

/// How much two processes want to be near each other, for each of `problem.edges`: a whole number,
/// at least 1, that grows with what the edge costs on the slowest path of the machine.
[[nodiscard]] std::vector<std::int32_t> affinities(const Problem& problem);

}  // namespace espalier::map
