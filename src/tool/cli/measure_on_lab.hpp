#pragma once

#include <filesystem>
#include <vector>

#include "lab/lab.hpp"
#include "lab/launch.hpp"
#include "measure/measured.hpp"
#include "measure/stacks.hpp"

namespace espalier::cli {

/// What one stack needs for each call in this lab: starts espalier-measure, which stands beside the
/// tool, under the stack's MPI. The first `lab.machine.size()` ranks, as the machine places them.
Expected<std::vector<measure::MeasuredTimes>> measure_on_lab(
    const lab::OpenLab& lab, const measure::Stack& stack,
    const std::vector<measure::MeasuredCall>& calls, measure::Clocks clocks, int repeats);

/// Runs a program in this lab: what it printed. A program that fails is an error.
/// @param who begins the error ("bench")
Expected<std::string> output_on_lab(const lab::OpenLab& lab, lab::LaunchRequest request,
                                    const std::string& who);

/// The path of this tool.
[[nodiscard]] std::filesystem::path own_path();
/// Whether the stack's library is built; peers need none.
[[nodiscard]] bool is_built(const measure::Stack& stack);
[[nodiscard]] std::filesystem::path library_path(const measure::Stack& stack);

}  // namespace espalier::cli
