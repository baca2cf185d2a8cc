#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::league {

enum class ContenderKind : std::uint8_t {
  Ours,
  Selector,  ///< SMPI's copy of how an MPI library chooses: "ompi"
  Single,    ///< one algorithm of SMPI for one operation: "bcast:NTSL"
  Plan,      ///< one plan of ours for one operation, whether it would be chosen or not
};

/// Who takes part.
struct Contender {
  std::string name;
  ContenderKind kind = ContenderKind::Ours;
  schedule::Operation operation = schedule::Operation::Barrier;  ///< of an algorithm or plan

  [[nodiscard]] bool plays(schedule::Operation event) const {
    return kind == ContenderKind::Ours || kind == ContenderKind::Selector || operation == event;
  }
  /// Options of SimGrid, "name:value".
  [[nodiscard]] std::vector<std::string> options() const;
  /// NAME=value for our runtime, which is inside also where a peer is measured.
  [[nodiscard]] std::vector<std::string> environment() const;
};

[[nodiscard]] Contender ours();
/// @param plan by its name
[[nodiscard]] Contender with_plan(schedule::Operation operation, std::string plan);
/// "ompi,mpich,mvapich2,impi"
Expected<std::vector<Contender>> selectors_called(const std::string& list);
/// All of SimGrid 3.32 but its selectors; scans have none.
[[nodiscard]] std::vector<Contender> single_algorithms();

}  // namespace espalier::league
