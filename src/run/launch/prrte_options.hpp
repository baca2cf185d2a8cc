#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace espalier::launch {

/// How many words after this option of PRRTE's launchers (mpiexec and mpirun of Open MPI 5,
/// prterun, prun) are its values; nothing: it is not known.
/// @param name without dashes
[[nodiscard]] std::optional<std::size_t> values_in_prrte(std::string_view name);

}  // namespace espalier::launch
