#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"

namespace espalier {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;

Error not_readable(const std::string& path, int why) {
  if (why == ENOENT) return {path, "there is no such file", "check its name"};
  return {path, fmt::format("cannot be read: {}", std::strerror(why)), "check its permissions"};
}

Error too_large(const std::string& path, std::uint64_t most) {
  const bool is_many = most >= (std::uint64_t{1} << 20U);
  return {path,
          fmt::format("larger than {} {}", is_many ? most >> 20U : most, is_many ? "MiB" : "bytes"),
          "is this the right file?"};
}

/// Waits until there is something to read, or the end.
/// @return false: nobody opened it for writing in time
bool wait_for_writer(int fd, int patience_ms) {
  pollfd one{fd, POLLIN, 0};
  int got = 0;
  do {
    got = ::poll(&one, 1, patience_ms);
  } while (got < 0 && errno == EINTR);
  return got != 0;
}

/// What is open without waiting: waits for what others still write.
Expected<std::string> rest_of(int fd, const std::string& path, const ReadRules& rules,
                              bool is_pipe) {
  std::string text;
  std::array<char, kPiece> piece{};
  bool waited = false;
  while (true) {
    const std::uint64_t wanted = std::min<std::uint64_t>(kPiece, rules.most - text.size() + 1);
    const ssize_t got = ::read(fd, piece.data(), wanted);
    if (got > 0) {
      text.append(piece.data(), static_cast<std::size_t>(got));
      if (text.size() > rules.most) return too_large(path, rules.most);
    } else if (got < 0 && errno == EAGAIN) {
      (void)wait_for_writer(fd, -1);  // somebody has it open, and will write or close it
    } else if (got < 0 && errno != EINTR) {
      return not_readable(path, errno);
    } else if (got == 0 && is_pipe && text.empty() && !waited) {
      waited = true;
      if (!wait_for_writer(fd, rules.patience_ms)) {
        return Error{path, "it is a FIFO, and nobody writes to it", "name a file"};
      }
    } else if (got == 0) {
      return text;
    }
  }
}

}  // namespace

std::optional<Error> why_foreign(const std::string& path) {
  struct stat folder {};
  struct stat entry {};
  if (::lstat(path.c_str(), &entry) != 0 || ::stat(folder_of(path).c_str(), &folder) != 0) {
    return std::nullopt;  // whoever opens it will be told
  }
  const bool is_shared = (folder.st_mode & S_IWOTH) != 0;
  const bool is_trusted = entry.st_uid == ::geteuid() || entry.st_uid == folder.st_uid;
  if (!is_shared || is_trusted) return std::nullopt;
  return Error{path,
               fmt::format("{} of another user (id {}), in a folder that everybody may write to",
                           kind_of_file(entry.st_mode), entry.st_uid),
               "name a file in a folder of your own"};
}

Expected<std::string> read_named_file(const std::string& path, const ReadRules& rules) {
  if (rules.refuses_foreign) {
    if (auto foreign = why_foreign(path)) return *std::move(foreign);
  }
  const FileDescriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!in) return not_readable(path, errno);
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) return not_readable(path, errno);
  if (S_ISDIR(info.st_mode)) return Error{path, "it is a folder", "name a file"};
  if (!S_ISREG(info.st_mode) && !rules.takes_pipes) {
    return Error{path, "not a regular file", "name a file"};
  }
  if (S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) > rules.most) {
    return too_large(path, rules.most);
  }
  return rest_of(in.get(), path, rules, S_ISFIFO(info.st_mode));
}

std::string beginning_of_file(const std::string& path, std::uint64_t most) {
  const FileDescriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!in || ::fstat(in.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  std::string text(most, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(in.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

Expected<std::optional<std::string>> read_own_file(const std::string& path, std::uint64_t most) {
  const FileDescriptor in(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!in) {
    if (errno == ENOENT) return std::optional<std::string>{};
    if (errno == ELOOP) return Error{path, "it is a link, not a file of ours", "remove it"};
    return not_readable(path, errno);
  }
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) return not_readable(path, errno);
  if (!S_ISREG(info.st_mode)) {
    return Error{path, fmt::format("it is {}, not a file of ours", kind_of_file(info.st_mode)),
                 "remove it"};
  }
  if (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Error{path, "others may write to it", "remove it"};
  }
  ReadRules rules;
  rules.most = most;
  if (static_cast<std::uint64_t>(info.st_size) > most) return too_large(path, most);
  auto text = rest_of(in.get(), path, rules, false);
  if (!text) return text.error();
  return std::optional<std::string>(*std::move(text));
}

}  // namespace espalier
