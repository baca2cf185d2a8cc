#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <thread>

namespace espalier {
namespace {

/// Keeps a signal that this thread's writing raises from the program. One that waited already
/// stays.
class HeldBack {
 public:
  explicit HeldBack(int signal) {
    sigset_t pending;
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, signal) == 1;
    ::sigemptyset(&held_);
    ::sigaddset(&held_, signal);
    ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;
  ~HeldBack() {
    const int error = errno;
    const timespec at_once{};
    while (!was_pending_ && ::sigtimedwait(&held_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  bool was_pending_ = false;
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace

std::string_view kind_of_file(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a file";
    case S_IFDIR:
      return "a folder";
    case S_IFLNK:
      return "a link";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int write_all(int fd, std::string_view text) {
  const HeldBack no_reader(SIGPIPE);
  const HeldBack too_long(SIGXFSZ);
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put >= 0) {
      text.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int allocate_file(int fd, std::uint64_t bytes) {
  // Profilers send a hundred signals a second, each of which may end the call.
  constexpr int kTries = 100;
  int code = EINTR;
  for (int i = 0; i < kTries && code == EINTR; ++i) {
    code = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  }
  return code;
}

void write_message(std::string_view text) noexcept { (void)write_all(STDERR_FILENO, text); }

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
