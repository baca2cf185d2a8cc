#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "launch/launcher_options.hpp"

namespace espalier::launch {

/// How many words after this option of srun or sbatch are its values; nothing: it is not known.
[[nodiscard]] std::optional<std::size_t> values_in_slurm(Launcher launcher,
                                                         std::string_view option);

}  // namespace espalier::launch
