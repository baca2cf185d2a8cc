#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schedule/collective.hpp"

namespace espalier::schedule {

/// A name as people write it, as name_of() has it: "MPI_Bcast", "bcast" and "Broadcast" are
/// "broadcast", "MPI_Reduce_scatter_block" is "reduce-scatter", "MPI_Scatterv" is "scatterv". What
/// is no operation comes back in small letters.
[[nodiscard]] std::string usual_name(std::string_view name);

/// operation_named() of the usual name.
[[nodiscard]] std::optional<Operation> operation_called(std::string_view name);

}  // namespace espalier::schedule
