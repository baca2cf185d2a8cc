#pragma once

#include <string>

#include "base/expected.hpp"
#include "select/rules.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// The machine as the library sees it: levels on which nothing has a choice are left out.
[[nodiscard]] topology::Machine as_planned(const topology::Machine& machine);

/// What a run under the MPI library of --mpi would know, with default settings; empty: no MPI.
[[nodiscard]] Expected<select::Rules> rules_under(const std::string& mpi);

}  // namespace espalier::cli
