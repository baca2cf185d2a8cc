#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// How many words after this option of a launcher are its values; nothing: it is not known.
[[nodiscard]] std::optional<std::size_t> values_of(Mpi mpi, std::string_view option);

/// Both launchers take one dash or two.
[[nodiscard]] std::string_view without_dashes(std::string_view option);

}  // namespace espalier::launch
