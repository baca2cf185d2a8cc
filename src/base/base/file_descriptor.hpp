#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace espalier {

/// Closes what it holds.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  /// Gives it away, to be closed by others.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// "a folder", "a FIFO": for people.
[[nodiscard]] std::string_view kind_of_file(mode_t mode);

/// The folder that holds this name; "." for a plain one.
[[nodiscard]] std::string folder_of(const std::string& path);

/// A pipe without a reader (EPIPE) and a file that may not grow (EFBIG) are errors, not signals.
/// @return 0, or an error of the system
[[nodiscard]] int write_all(int fd, std::string_view text);

/// Gives a file its bytes now, so that a full disk is an error here and no signal later.
/// @return 0, or an error of the system
[[nodiscard]] int allocate_file(int fd, std::uint64_t bytes);

/// Writes to standard error, for notes and errors. A message that cannot be written is lost: what
/// runs inside a program must not end it then, as fmt::print() does by an exception.
void write_message(std::string_view text) noexcept;

/// Takes a lock of the whole file or folder (flock), which others may hold as long as they like.
/// @param how LOCK_SH or LOCK_EX
/// @return false: others held it all the time, or it cannot be locked (errno is not EWOULDBLOCK)
[[nodiscard]] bool lock_within(int fd, int how, std::chrono::milliseconds patience);

}  // namespace espalier
