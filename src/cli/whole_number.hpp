#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace espalier::cli {

/// Refuses what is no whole number from `low` to `high`, in our words. Help pages do not show it:
/// say the range in the option's description where it matters.
[[nodiscard]] CLI::Validator whole_number(std::int64_t low, std::int64_t high);

}  // namespace espalier::cli
