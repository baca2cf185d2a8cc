#pragma once

#include <string>
#include <vector>

namespace espalier::cli {

/// Machines that come with the tool, by their names: "three-machines"; sorted.
[[nodiscard]] std::vector<std::string> example_machines();
/// The file of the example of this name, unless there is a file of that name here; any other
/// argument as it is.
[[nodiscard]] std::string file_of_machine(const std::string& argument);

}  // namespace espalier::cli
