#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace espalier::cli {

/// A folder of files that come with the tool ("machines", "lab-runs"): beside the installed tool,
/// or in the sources that it was built from.
[[nodiscard]] std::filesystem::path data_folder(const std::string& name);
/// Its JSON files, sorted by name; none if there is no such folder.
[[nodiscard]] std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

}  // namespace espalier::cli
