#pragma once

#include <string>

#include "base/expected.hpp"
#include "select/rules.hpp"

namespace espalier::cli {

/// What a run under the MPI library of --mpi would know, with default settings; empty: no MPI.
[[nodiscard]] Expected<select::Rules> rules_under(const std::string& mpi);

}  // namespace espalier::cli
