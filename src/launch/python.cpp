#include "launch/python.hpp"

#include <filesystem>

#include "launch/ask.hpp"

namespace espalier::launch {

bool is_python(const std::string& program) {
  const std::string name = file_name(program);
  return name.starts_with("python") &&
         name.find_first_not_of("0123456789.", std::string_view("python").size()) ==
             std::string::npos;
}

std::optional<std::string> mpi4py_of(const std::string& python) {
  // The module is found, not run: importing it would start MPI.
  const std::string folder =
      output_of({python, "-c",
                 "import importlib.util as u; s = u.find_spec('mpi4py'); "
                 "print(s.submodule_search_locations[0] if s else '', end='')"});
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("MPI.") && name.ends_with(".so")) return entry.path().string();
  }
  return std::nullopt;
}

}  // namespace espalier::launch
