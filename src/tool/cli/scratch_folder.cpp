#include "cli/scratch_folder.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

namespace espalier::cli {

ScratchFolder::ScratchFolder() {
  std::error_code failed;
  const auto parent = std::filesystem::temp_directory_path(failed);
  if (failed) return;
  std::string name = (parent / "espalier-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace espalier::cli
