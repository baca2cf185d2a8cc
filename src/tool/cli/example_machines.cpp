#include "cli/example_machines.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/measure_on_lab.hpp"

namespace espalier::cli {
namespace {

namespace fs = std::filesystem;

/// Beside the installed tool, or in the sources that it was built from.
fs::path machine_folder() {
  std::error_code error;
  const fs::path installed = own_path().parent_path().parent_path() / "share/espalier/machines";
  return fs::is_directory(installed, error) ? installed : fs::path(ESPALIER_MACHINES);
}

}  // namespace

std::vector<std::string> example_machines() {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(machine_folder(), error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string file_of_machine(const std::string& argument) {
  std::error_code error;
  const bool is_name =
      !argument.empty() && argument.size() < 100 &&
      argument.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (!is_name || fs::exists(argument, error)) return argument;
  const fs::path file = machine_folder() / (argument + ".json");
  return fs::is_regular_file(file, error) ? file.string() : argument;
}

}  // namespace espalier::cli
