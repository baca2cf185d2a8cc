#include "cli/example_machines.hpp"

#include <filesystem>

#include "cli/data_folder.hpp"

namespace espalier::cli {

std::vector<std::string> example_machines() {
  std::vector<std::string> names;
  for (const auto& file : json_files(data_folder("machines"))) {
    names.push_back(file.stem().string());
  }
  return names;
}

std::string file_of_machine(const std::string& argument) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_name =
      !argument.empty() && argument.size() < 100 &&
      argument.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (!is_name || fs::exists(argument, error)) return argument;
  const fs::path file = data_folder("machines") / (argument + ".json");
  return fs::is_regular_file(file, error) ? file.string() : argument;
}

}  // namespace espalier::cli
