#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace espalier {

/// "a folder", "a FIFO": for people.
[[nodiscard]] std::string_view kind_of_file(mode_t mode);

/// The folder that holds this name; "." for a plain one.
[[nodiscard]] std::string folder_of(const std::string& path);

/// 0, or an error of the system.
[[nodiscard]] int write_all(int fd, std::string_view text);

}  // namespace espalier
