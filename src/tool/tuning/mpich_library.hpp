#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "base/json.hpp"
#include "base/types.hpp"

namespace espalier::tuning {

/// The selection rules that a library of MPICH 4 was built with, read from its file: nothing of it
/// is run. A tuning file replaces all of them, so ours begins as a copy.
struct MpichRules {
  std::string collectives;   ///< JSON: MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
  std::string compositions;  ///< JSON: MPIR_CVAR_CH4_COLL_...; empty if the library has none
  std::set<std::string, std::less<>> algorithms;  ///< names that its files may use
};
Expected<MpichRules> read_mpich_rules(const std::string& library);

/// What rules look at in a call among the members of a communicator.
struct CallFacts {
  Rank ranks = 1;
  Rank ranks_of_host = 1;               ///< mean
  std::string_view hierarchy = "flat";  ///< "parent", "node_roots", "node" or "flat"
  std::uint64_t bytes = 0;              ///< bytes of the vector, or of one block
  std::uint64_t count = 0;              ///< elements of the vector
};

/// The algorithm or composition that the rules take for a call: the first key that holds on each
/// level. Operators are built in and commute, buffers are not in place.
/// @param rules of one collective
[[nodiscard]] std::optional<std::string> selected(const Json& rules, const CallFacts& facts);

/// Where libraries of MPICH usually are; empty if none is found.
[[nodiscard]] std::string usual_mpich_library();

}  // namespace espalier::tuning
