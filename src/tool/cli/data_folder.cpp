#include "cli/data_folder.hpp"

#include <algorithm>

#include "cli/measure_on_lab.hpp"

namespace espalier::cli {

namespace fs = std::filesystem;

fs::path data_folder(const std::string& name) {
  std::error_code error;
  const fs::path installed = own_path().parent_path().parent_path() / "share/espalier" / name;
  return fs::is_directory(installed, error) ? installed : fs::path(ESPALIER_DATA) / name;
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace espalier::cli
