#include "launch/launchers.hpp"

#include <algorithm>
#include <filesystem>

#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/mpi_kind.hpp"

namespace espalier::launch {

namespace fs = std::filesystem;

std::vector<InstalledLauncher> launchers_in(const std::string& path) {
  std::vector<InstalledLauncher> found;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    std::error_code error;
    std::vector<std::string> here;
    // What stands in a folder without a whole name is somebody's script as likely as a launcher.
    const std::string folder = path.substr(at, end - at);
    at = end + 1;
    if (!folder.starts_with('/')) continue;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (is_launcher_name(name) && !slurm_launcher(name)) {
        here.push_back(entry.path().string());
      }
    }
    std::sort(here.begin(), here.end());
    for (const std::string& name : here) {
      const std::string file = fs::canonical(name, error).string();
      if (error) continue;
      auto it = std::find_if(found.begin(), found.end(),
                             [&](const InstalledLauncher& one) { return one.file == file; });
      if (it == found.end()) it = found.insert(found.end(), {file, {}});
      // A folder may be in PATH twice, or be a link (/bin).
      const std::string short_name = file_name(name);
      if (std::find(it->names.begin(), it->names.end(), short_name) == it->names.end()) {
        it->names.push_back(short_name);
      }
    }
  }
  return found;
}

std::vector<std::string> launcher_names(const std::string& path) {
  std::vector<std::string> names;
  for (const InstalledLauncher& one : launchers_in(path)) {
    names.insert(names.end(), one.names.begin(), one.names.end());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace espalier::launch
