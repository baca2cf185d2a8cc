#include "launch/own_library.hpp"

#include <filesystem>
#include <vector>

namespace espalier::launch {

namespace fs = std::filesystem;

Expected<std::string> find_library(std::string_view name, const std::string& given) {
  std::error_code error;
  std::vector<fs::path> places;
  if (!given.empty()) {
    places = {given};
  } else {
    const fs::path tool = fs::read_symlink("/proc/self/exe", error).parent_path();
    // Beside an empty path stands what is in the working folder.
    if (error)
      return Error{"/proc", "is not mounted, so the tool does not know where it is",
                   "mount it, or name the library with --library"};
    places = {tool / "../lib" / name, tool / "../lib/espalier" / name, tool / name};
  }
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, error)) return fs::canonical(place, error).string();
  }
  return Error{places.front().lexically_normal().string(), "there is no such library here",
               "build it (make), install it (the package libespalier), or name it with --library"};
}

}  // namespace espalier::launch
