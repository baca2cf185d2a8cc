#pragma once

#include <filesystem>
#include <vector>

#include "lab/lab.hpp"
#include "measure/measured.hpp"
#include "measure/stacks.hpp"

namespace espalier::cli {

/// What one stack needs for each call in this lab: starts espalier-measure, which stands beside the
/// tool, under the stack's MPI. The first `lab.machine.size()` ranks, as the machine places them.
Expected<std::vector<measure::MeasuredTimes>> measure_on_lab(
    const lab::OpenLab& lab, const measure::Stack& stack,
    const std::vector<measure::MeasuredCall>& calls, measure::Clocks clocks, int repeats);

/// The path of this tool.
[[nodiscard]] std::filesystem::path own_path();
/// Whether the stack's library is built; peers need none.
[[nodiscard]] bool is_built(const measure::Stack& stack);
[[nodiscard]] std::filesystem::path library_path(const measure::Stack& stack);

}  // namespace espalier::cli
