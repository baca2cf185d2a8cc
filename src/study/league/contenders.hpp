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

/// Who is measured.
struct Contender {
  std::string name;
  ContenderKind kind = ContenderKind::Ours;
  schedule::Operation operation =
      schedule::Operation::Barrier;  ///< the only operation of a Single or Plan

  [[nodiscard]] bool takes_part_in(schedule::Operation called) const {
    return kind == ContenderKind::Ours || kind == ContenderKind::Selector || operation == called;
  }
  /// Options of SimGrid, "name:value".
  [[nodiscard]] std::vector<std::string> options() const;
  /// NAME=value for our runtime, which is linked in even when a peer is measured.
  [[nodiscard]] std::vector<std::string> environment() const;
};

[[nodiscard]] Contender ours();
/// @param plan the name of the plan
[[nodiscard]] Contender with_plan(schedule::Operation operation, std::string plan);
/// The selectors of a list such as "ompi,mpich,mvapich2,impi".
Expected<std::vector<Contender>> selectors_called(const std::string& list);
/// Every single algorithm of SimGrid 3.32. There is none for scans.
[[nodiscard]] std::vector<Contender> single_algorithms();

}  // namespace espalier::league
