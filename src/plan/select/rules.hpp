#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "select/candidates.hpp"
#include "select/rank_by_simulation.hpp"
#include "select/transport.hpp"

namespace espalier::select {

/// What a choice depends on besides machine and call. The same on all ranks.
struct Rules {
  bool force = false;     ///< a plan wherever there is one, gain or not
  Bits bits = Bits::Any;  ///< Reference: reductions in the reference order, and never native
  /// The plan that the user names for an operation. Those that begin with kByCounts name a tree
  /// that the root of a scatterv or gatherv makes.
  std::map<schedule::Operation, std::string> named = {};
  NativeMpi mpi = NativeMpi::Unknown;
  Transport transport = {};  ///< how the executor's messages are carried
  /// Absent: plans that are predicted to be near the best one are simulated, as far as one call is
  /// worth it (simulated_times.hpp).
  std::optional<SimulationBudget> budget = {};
};

/// The rules of a run under this MPI library with default settings. Under SMPI links are simulated
/// as SMPI shares them.
[[nodiscard]] inline Rules rules_for(NativeMpi mpi) {
  Rules rules;
  rules.mpi = mpi;
  if (mpi == NativeMpi::Smpi) rules.budget = SimulationBudget{without_connections()};
  return rules;
}

inline constexpr std::string_view kByCounts = "counts:";

/// The tree of "counts:minimum-first"; absent if this is no such name.
[[nodiscard]] inline std::optional<std::string> tree_by_counts(const std::string& name) {
  if (!name.starts_with(kByCounts)) return std::nullopt;
  return name.substr(kByCounts.size());
}

}  // namespace espalier::select
