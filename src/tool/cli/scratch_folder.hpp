#pragma once

#include <filesystem>

namespace espalier::cli {

/// A new folder of this user alone (mode 0700) in $TMPDIR or /tmp, removed at the end with all that
/// is in it. Nobody can make it before us: its name cannot be guessed, and one that is there is not
/// taken.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// Empty: it could not be made.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace espalier::cli
