#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::league {

enum class TeamKind : std::uint8_t {
  Ours,
  Selector,  ///< SMPI's copy of how an MPI library chooses: "ompi"
  Single,    ///< one algorithm of SMPI for one operation: "bcast:NTSL"
  Plan,      ///< one plan of ours for one operation, whether it would be chosen or not
};

/// Who takes part.
struct Team {
  std::string name;
  TeamKind kind = TeamKind::Ours;
  schedule::Operation operation = schedule::Operation::Barrier;  ///< of an algorithm or plan

  [[nodiscard]] bool plays(schedule::Operation event) const {
    return kind == TeamKind::Ours || kind == TeamKind::Selector || operation == event;
  }
  /// Options of SimGrid, "name:value".
  [[nodiscard]] std::vector<std::string> options() const;
  /// NAME=value for our runtime, which is inside also where a peer is measured.
  [[nodiscard]] std::vector<std::string> environment() const;
};

[[nodiscard]] Team ours();
/// @param plan by its name
[[nodiscard]] Team with_plan(schedule::Operation operation, std::string plan);
/// "ompi,mpich,mvapich2,impi"
Expected<std::vector<Team>> selectors_called(const std::string& list);
/// All of SimGrid 3.32 but its selectors; scans have none.
[[nodiscard]] std::vector<Team> single_algorithms();

}  // namespace espalier::league
