#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "base/entropy.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"

namespace espalier {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kUnfinished = ".new";
constexpr mode_t kAsMade = ~mode_t{0};  // the mode is what the umask leaves
constexpr gid_t kAnyGroup = ~gid_t{0};

Error not_writable(const std::string& path, int why) {
  return {path, fmt::format("cannot write: {}", std::strerror(why)),
          "name a file in a folder that you may write to"};
}

/// @return 0, or EPERM if this user is not in that group
int give_to_group(int fd, gid_t group) {
  struct stat made {};
  if (::fstat(fd, &made) != 0) return errno;
  constexpr uid_t kSameUser = ~uid_t{0};
  return made.st_gid == group || ::fchown(fd, kSameUser, group) == 0 ? 0 : errno;
}

std::string unfinished_name(const std::string& path) {
  constexpr std::size_t kLongestName = 255, kAdded = 2 + kDigits + kUnfinished.size();
  const std::uint64_t number = fresh_number();  // O_EXCL keeps others' files safe if it is guessed
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return fmt::format("{}.{}.{:016x}{}", path.substr(0, name),
                     path.substr(name, kLongestName - kAdded), number, kUnfinished);
}

/// Puts the text beside the file, then in its place.
/// @param made its mode at first, less the umask; `mode` that at the end
/// @param group of the file at the end; kAnyGroup: that of new files there
/// @return 0, or an error of the system: then nothing has changed
int replace(const std::string& path, std::string_view text, mode_t made, mode_t mode, Keep keep,
            gid_t group = kAnyGroup) {
  const std::string beside = unfinished_name(path);
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, made);
  if (fd < 0) return errno;
  int why = write_all(fd, text);
  // Before the mode, of which a new group takes bits away.
  if (why == 0 && group != kAnyGroup) why = give_to_group(fd, group);
  if (why == 0 && mode != kAsMade && ::fchmod(fd, mode) != 0) why = errno;
  if (why == 0 && keep == Keep::Durably && ::fsync(fd) != 0) why = errno;
  if (::close(fd) != 0 && why == 0) why = errno;
  if (why == 0 && ::rename(beside.c_str(), path.c_str()) != 0) why = errno;
  if (why != 0) ::unlink(beside.c_str());
  return why;
}

/// Where a name leads through links; empty if nothing is there.
std::string without_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> whole(::realpath(path.c_str(), nullptr), std::free);
  return whole == nullptr ? "" : whole.get();
}

/// Keeps errno.
bool is_fifo(const std::string& path) {
  const int error = errno;
  struct stat there {};
  const bool is_one = ::stat(path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
  errno = error;
  return is_one;
}

/// A FIFO that nobody reads has a second for its reader to come.
FileDescriptor open_without_waiting(const std::string& path) {
  constexpr std::chrono::milliseconds kPause{10};
  constexpr int kHow = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  while (true) {
    FileDescriptor file(::open(path.c_str(), kHow | O_NONBLOCK, 0666));
    if (file) return file;
    // A file server has lent it to others: the system takes it back while we wait.
    if (errno == EWOULDBLOCK && !is_fifo(path)) {
      return FileDescriptor(::open(path.c_str(), kHow, 0666));
    }
    if (errno != ENXIO || !is_fifo(path)) return file;
    if (std::chrono::steady_clock::now() >= end) {
      errno = ENXIO;
      return file;
    }
    std::this_thread::sleep_for(kPause);
  }
}

bool is_folders_refusal(int why) { return why == EACCES || why == EPERM || why == EROFS; }

}  // namespace

Expected<FileDescriptor> open_named_file(const std::string& path) {
  if (auto foreign = why_foreign(path)) return *std::move(foreign);
  FileDescriptor file = open_without_waiting(path);
  if (!file && errno == ENXIO && is_fifo(path)) {
    return Error{path, "it is a FIFO, and nobody reads from it", "start its reader first"};
  }
  if (!file) return not_writable(path, errno);
  // Only opening must not wait: a slow reader gets all.
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return not_writable(path, errno);
  }
  return file;
}

std::optional<Error> write_named_file(const std::string& path, std::string_view text) {
  auto file = open_named_file(path);
  if (!file) return file.error();
  int why = write_all(file->get(), text);
  if (::close(file->release()) != 0 && why == 0) why = errno;
  if (why == 0) return std::nullopt;
  return Error{path, fmt::format("cannot write: {}", std::strerror(why)),
               "the file is not complete"};
}

std::optional<Error> replace_named_file(const std::string& path, std::string_view text,
                                        mode_t mode_if_new) {
  if (auto foreign = why_foreign(path)) return foreign;
  struct stat there {};
  const bool is_there = ::stat(path.c_str(), &there) == 0;
  if (!is_there && (errno != ENOENT || ::lstat(path.c_str(), &there) == 0)) {
    return write_named_file(path, text);  // a link to nothing yet
  }
  const bool is_plain = !is_there || (S_ISREG(there.st_mode) && there.st_uid == ::geteuid() &&
                                      there.st_nlink == 1 && ::access(path.c_str(), W_OK) == 0);
  const std::string target = is_there ? without_links(path) : path;
  if (!is_plain || target.empty()) return write_named_file(path, text);
  const mode_t mode = is_there ? there.st_mode & 07777U : kAsMade;
  const int why = replace(target, text, is_there ? 0600 : mode_if_new, mode, Keep::Durably,
                          is_there ? there.st_gid : kAnyGroup);
  if (why == 0) return std::nullopt;
  if (is_there && is_folders_refusal(why)) return write_named_file(path, text);
  return not_writable(path, why);
}

bool is_writable_file(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0) {
    return !S_ISDIR(there.st_mode) && ::access(path.c_str(), W_OK) == 0;
  }
  return ::access(folder_of(path).c_str(), W_OK | X_OK) == 0;
}

std::optional<Error> replace_own_file(const std::string& path, std::string_view text, mode_t mode,
                                      Keep keep) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!S_ISREG(there.st_mode) || there.st_uid != ::geteuid()) {
      return Error{path,
                   fmt::format("it is {}{}, not a file of ours", kind_of_file(there.st_mode),
                               there.st_uid == ::geteuid() ? "" : " of another user"),
                   "remove it"};
    }
  } else if (errno != ENOENT) {
    return not_writable(path, errno);
  }
  const int why = replace(path, text, 0600, mode, keep);
  return why == 0 ? std::nullopt : std::optional(not_writable(path, why));
}

Expected<FileDescriptor> create_own_file(const std::string& path, mode_t mode) {
  FileDescriptor made(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!made) return not_writable(path, errno);
  return made;
}

bool is_unfinished(std::string_view name, std::string_view of) {
  const std::string begin = fmt::format(".{}.", of);
  return name.size() == begin.size() + kDigits + kUnfinished.size() && name.starts_with(begin) &&
         name.ends_with(kUnfinished) &&
         name.substr(begin.size(), kDigits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
}

std::optional<Error> remove_own_file(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    return errno == ENOENT ? std::nullopt
                           : std::optional(Error{path, std::strerror(errno), "check its folder"});
  }
  if (!S_ISREG(there.st_mode) || there.st_uid != ::geteuid()) {
    return Error{
        path,
        fmt::format("it is {}{}, not a file of ours: it stays", kind_of_file(there.st_mode),
                    there.st_uid == ::geteuid() ? "" : " of another user"),
        "remove it yourself"};
  }
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return std::nullopt;
  return Error{path, fmt::format("cannot be removed: {}", std::strerror(errno)), ""};
}

}  // namespace espalier
