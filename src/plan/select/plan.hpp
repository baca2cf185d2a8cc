#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collective/along_tree.hpp"
#include "collective/fixed_order.hpp"
#include "collective/flat_algorithms.hpp"
#include "collective/multilevel_calls.hpp"
#include "collective/striped.hpp"

namespace espalier::select {

/// One tree over all ranks by number: what MPI libraries do without knowing the machine.
struct BlindTree {
  collective::Shape shape = collective::Shape::Binomial;
  std::uint64_t segment = 0;  ///< units in a message; 0: the whole message
  friend bool operator==(const BlindTree&, const BlindTree&) = default;
};

/// One tree over all ranks that goes by what sending costs each of them (banikazemi1998): "fnf",
/// fastest node first, or "spoc". Whole messages.
struct SpeedTree {
  std::string name;
  friend bool operator==(const SpeedTree&, const SpeedTree&) = default;
};

/// A classical algorithm of the registry, by name.
struct Classical {
  std::string name;
  friend bool operator==(const Classical&, const Classical&) = default;
};

/// A classical algorithm with the ranks in the order in which they lie in the machine.
struct AlongTree {
  std::string name;
  friend bool operator==(const AlongTree&, const AlongTree&) = default;
};

/// A reduction in the reference order of docs/reproducible.md, up and down the levels' trees.
struct FixedOrder {
  collective::MultilevelChoice choice;
  friend bool operator==(const FixedOrder&, const FixedOrder&) = default;
};

/// MagPIe's trees: a multilevel plan on the machine seen as its clusters of one depth side by side
/// (topology::two_level_view). A baseline.
struct TwoLevel {
  std::uint32_t depth = 1;              ///< depth of the clusters: 1 is the outermost, "by site"
  collective::MultilevelChoice choice;  ///< one entry for each of the view's two levels
  friend bool operator==(const TwoLevel&, const TwoLevel&) = default;
};

/// A plan as a value: with a machine and a call it gives a program for every rank and a predicted
/// time.
using Plan = std::variant<collective::MultilevelChoice, collective::StripedChoice, TwoLevel,
                          BlindTree, SpeedTree, Classical, AlongTree, FixedOrder>;

/// Whether the plan serves the call: its operation, block lengths and order of combining.
[[nodiscard]] bool can_do(const Plan& plan, const collective::Hierarchy& hierarchy,
                          const schedule::Collective& call);

/// A rank's own part. O(processes) for two-level baselines, which make their view of the machine
/// first. @pre can_do(plan, hierarchy, call)
[[nodiscard]] schedule::Program own_part(const Plan& plan, const collective::Hierarchy& hierarchy,
                                         const schedule::Collective& call, Rank rank);

/// "multilevel exchange/binomial 64 KiB", "ring": short, unique among the plans of a call.
[[nodiscard]] std::string name_of(const Plan& plan, const schedule::Collective& call);
/// The plan of this name; absent if there is none, or if it cannot do the call.
/// plan_named(name_of(plan, call), ...) == plan. A segment that is no shorter than the message is
/// none, so that "binomial 16 KiB" names "binomial" where messages are short.
[[nodiscard]] std::optional<Plan> plan_named(std::string_view name,
                                             const collective::Hierarchy& hierarchy,
                                             const schedule::Collective& call);
/// What each level of the machine does, outermost first; empty for plans that do not know levels.
[[nodiscard]] std::vector<std::string> per_level(const Plan& plan, const topology::Machine& machine,
                                                 const schedule::Collective& call);
[[nodiscard]] bool knows_topology(const Plan& plan);

}  // namespace espalier::select
