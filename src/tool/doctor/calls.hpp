#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/explain.hpp"

namespace espalier::doctor {

/// Collectives among the functions that a program names, as the standard writes them.
struct Calls {
  std::vector<std::string> planned;  ///< functions that can run along a plan
  /// Functions that always run as the MPI library's own calls, by the reason.
  std::map<runtime::Reason, std::vector<std::string>> native;
  std::vector<std::string>
      hidden;  ///< functions called as PMPI_X, past everything that is preloaded
};

/// Sorts the collectives among `symbols`, by the tables from which the preloaded library is made
/// (src/run/pmpi/*.table).
/// @param symbols what the program wants of its libraries, in C or Fortran
[[nodiscard]] Calls calls_among(std::span<const std::string> symbols);

}  // namespace espalier::doctor
