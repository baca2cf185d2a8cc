#pragma once

#include <chrono>

namespace espalier {

/// Takes a lock of the whole file or folder (flock), which others may hold as long as they like.
/// @param how LOCK_SH or LOCK_EX
/// @return false: others held it all the time, or it cannot be locked (errno is not EWOULDBLOCK)
[[nodiscard]] bool lock_within(int fd, int how, std::chrono::milliseconds patience);

}  // namespace espalier
