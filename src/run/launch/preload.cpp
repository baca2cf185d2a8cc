#include "launch/preload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace espalier::launch {

Expected<Preload> preload_of(const std::string& libraries, const std::string& library_path) {
  Preload preload;
  std::vector<std::string> folders;
  for (std::size_t at = 0; at <= libraries.size();) {
    const std::size_t end = std::min(libraries.find(':', at), libraries.size());
    const std::filesystem::path file = libraries.substr(at, end - at);
    at = end + 1;
    if (!file.is_absolute()) {  // a piece of a name that has a colon in it
      return Error{libraries, "the loader cannot preload from a folder with \":\" in its name",
                   "move it, or make a link to its folder and name the library there with "
                   "--library"};
    }
    const bool has_blank = file.string().find(' ') != std::string::npos;
    if (!preload.libraries.empty()) preload.libraries += ':';
    preload.libraries += has_blank ? file.filename().string() : file.string();
    const std::string folder = file.parent_path().string();
    if (has_blank && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  if (folders.empty()) return preload;
  if (!library_path.empty()) folders.push_back(library_path);
  preload.variables = {{"LD_LIBRARY_PATH", fmt::format("{}", fmt::join(folders, ":"))}};
  return preload;
}

}  // namespace espalier::launch
