#pragma once

#include <cstdint>
#include <span>

#include "topology/machine.hpp"

namespace espalier::topology {

/// The machine as a group of its processes sees it: rank i is ranks[i]. Clusters without any of
/// them are left out, all else is as it was: names, channels, uplinks, costs, pairs, and the path
/// between any two of them. Depths stay, too, so a cluster may have one member only.
/// O(ranks log ranks + members of their clusters).
/// @pre ranks are different ranks of the machine, at least one
[[nodiscard]] Machine submachine(const Machine& machine, std::span<const Rank> ranks);

/// submachine() without the outermost levels that join nothing any more. (Uplinks and backbones of
/// what is left keep their capacities: who else uses them is not known here.)
[[nodiscard]] Machine restrict_machine(const Machine& machine, std::span<const Rank> ranks);

/// The machine as a program on all of it sees it, which is what plans are made for:
/// restrict_machine() to all ranks. Clusters of one member are gone.
[[nodiscard]] Machine as_planned(const Machine& machine);

/// The same machine with other compute speeds of its processes, in millionths, by rank.
/// @pre one for each rank, none of them 0
[[nodiscard]] Machine with_speeds(const Machine& machine, std::span<const std::uint64_t> speeds);

/// The machine as one who knows a single partition sees it: its clusters of this depth (1: the
/// outermost) side by side, their processes side by side in them; a process above that depth stands
/// alone. Same ranks, leaves and costs of processes.
///
/// For planning two-level trees, as MagPIe does: what is planned on the view runs on the machine,
/// so simulate it there. The view's own channels are only those of the whole and of these clusters.
///
/// T. Kielmann, R. Hofman, H. Bal, A. Plaat, R. Bhoedjang: "MagPIe: MPI's collective communication
/// operations for clustered wide area systems", PPoPP 1999; by machine and by site in karonis2000.
/// @pre depth >= 1
[[nodiscard]] Machine two_level_view(const Machine& machine, std::uint32_t depth);

/// Figures of one level as multiples of those before, in thousandths: integers, so that everybody
/// who is told them comes to the same machine.
struct LevelScale {
  std::uint32_t level = 0;
  std::uint32_t latency = 1000;
  std::uint32_t bandwidth = 1000;
  friend bool operator==(const LevelScale&, const LevelScale&) = default;
};

/// The same machine with the latencies of one level's channels and pairs, and what their members'
/// uplinks and they themselves carry, multiplied. Unlimited stays unlimited.
[[nodiscard]] Machine scale_level(Machine machine, const LevelScale& scale);

}  // namespace espalier::topology
