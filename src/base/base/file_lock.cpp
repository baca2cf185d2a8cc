#include "base/file_lock.hpp"

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace espalier {

bool lock_within(int fd, int how, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLongestPause{20};
  const auto end = Clock::now() + patience;
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, kLongestPause)) {
    if (::flock(fd, how | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (Clock::now() >= end) {
      errno = EWOULDBLOCK;
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace espalier
