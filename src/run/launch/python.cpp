#include "launch/python.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

namespace fs = std::filesystem;

/// The module is found, not run: importing it would start MPI. Nothing is taken from the folder
/// that we are in, which Python would look through first.
std::string folder_told_by(const std::string& python) {
  return output_of({python, "-c",
                    "import sys; sys.path[:] = [p for p in sys.path if p]\n"
                    "import importlib.util as u; s = u.find_spec('mpi4py')\n"
                    "print(s.submodule_search_locations[0] if s else '', end='')"});
}

/// Where modules of a Python lie: PREFIX/lib/python3.11/site-packages beside PREFIX/bin/python3.
std::vector<std::string> folders_beside(const std::string& python) {
  std::error_code error;
  std::vector<std::string> folders;
  const fs::path library = fs::absolute(python, error).parent_path().parent_path() / "lib";
  for (const auto& entry : fs::directory_iterator(library, error)) {
    if (!entry.path().filename().string().starts_with("python")) continue;
    for (const char* modules : {"site-packages", "dist-packages"}) {
      folders.push_back((entry.path() / modules / "mpi4py").string());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

bool is_python(const std::string& program) {
  const std::string name = file_name(program);
  return name.starts_with("python") &&
         name.find_first_not_of("0123456789.", std::string_view("python").size()) ==
             std::string::npos;
}

std::optional<std::string> mpi4py_of(const std::string& python, const std::string& path) {
  for (const std::string& folder :
       is_in_path(python, path) ? std::vector{folder_told_by(python)} : folders_beside(python)) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("MPI.") && name.ends_with(".so")) return entry.path().string();
    }
  }
  return std::nullopt;
}

std::optional<PythonWithMpi> python_with_mpi4py(const std::string& path) {
  std::set<fs::path> asked;  // python, python3 and python3.11 are mostly one
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string folder = path.substr(at, end - at);
    at = end + 1;
    if (!folder.starts_with('/')) continue;
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (is_python(name)) names.insert(name);
    }
    for (const std::string& name : names) {
      const std::string file = find_program((fs::path(folder) / name).string(), ".", path);
      if (file.empty() || !asked.insert(fs::canonical(file, error)).second) continue;
      if (auto module = mpi4py_of(file, path)) return PythonWithMpi{file, *std::move(module)};
    }
  }
  return std::nullopt;
}

}  // namespace espalier::launch
