#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

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

/// Why what has been read so far is not the file that was meant.
std::optional<Error> why_unlikely(const std::string& text, const std::string& path,
                                  const ReadRules& rules) {
  if (rules.takes_binary) return std::nullopt;
  const std::string_view begin = std::string_view(text).substr(0, kPiece);
  if (begin.find('\0') != std::string_view::npos) {
    return Error{path, "it is no text: there are bytes of 0 in it", "is this the right file?"};
  }
  if (text.size() <= kUnlikelyBytes || rules.signs.empty()) return std::nullopt;
  const bool has_sign = std::any_of(
      rules.signs.begin(), rules.signs.end(),
      [&](std::string_view sign) { return begin.find(sign) != std::string_view::npos; });
  if (has_sign) return std::nullopt;
  return Error{path,
               fmt::format("more than {} MiB, and none of {} in its first {} KiB",
                           kUnlikelyBytes >> 20U, fmt::join(rules.signs, ", "), kPiece >> 10U),
               "is this the right file?"};
}

std::string without_byte_order_mark(std::string text, const ReadRules& rules) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (!rules.takes_binary && text.starts_with(kMark)) text.erase(0, kMark.size());
  return text;
}

/// What is open without waiting: waits for what others still write.
/// @param length of the file, if it is known
Expected<std::string> rest_of(int fd, const std::string& path, const ReadRules& rules, bool is_pipe,
                              std::uint64_t length = 0) {
  std::string text;
  std::array<char, kPiece> piece{};
  bool waited = false;
  std::uint64_t look_at = 1;  // look at the text when it is so long
  while (true) {
    const std::uint64_t wanted = std::min<std::uint64_t>(kPiece, rules.most - text.size() + 1);
    const ssize_t got = ::read(fd, piece.data(), wanted);
    if (got > 0) {
      text.append(piece.data(), static_cast<std::size_t>(got));
      if (text.size() > rules.most) return too_large(path, rules.most);
      if (text.size() >= look_at) {
        if (auto unlikely = why_unlikely(text, path, rules)) return *std::move(unlikely);
        look_at = text.size() < kPiece            ? text.size() + 1
                  : text.size() <= kUnlikelyBytes ? kUnlikelyBytes + 1
                                                  : rules.most + 1;
        if (text.size() > kUnlikelyBytes) text.reserve(length);
      }
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
      return without_byte_order_mark(std::move(text), rules);
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

namespace {

Expected<std::string> read_whole(const std::string& path, const ReadRules& rules) {
  if (rules.refuses_foreign) {
    if (auto foreign = why_foreign(path)) return *std::move(foreign);
  }
  const bool is_standard_input = path == "-" && rules.takes_pipes;
  const std::string name = is_standard_input ? "standard input" : path;
  const FileDescriptor in(is_standard_input
                              ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!in) return not_readable(name, errno);
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) return not_readable(name, errno);
  if (S_ISDIR(info.st_mode)) return Error{name, "it is a folder", "name a file"};
  if (S_ISREG(info.st_mode)) {
    if (static_cast<std::uint64_t>(info.st_size) > rules.most) return too_large(name, rules.most);
    return rest_of(in.get(), name, rules, false, static_cast<std::uint64_t>(info.st_size));
  }
  if (!rules.takes_pipes) return Error{name, "not a regular file", "name a file"};
  const bool is_device = S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode);
  if (is_device && ::isatty(in.get()) != 1) {
    return Error{name, "it is a device", "name a file, or write to a pipe"};
  }
  ReadRules of_pipe = rules;
  of_pipe.most = std::min(rules.most, kMostPipeBytes);
  return rest_of(in.get(), name, of_pipe, S_ISFIFO(info.st_mode) && !is_standard_input);
}

}  // namespace

Expected<std::string> read_named_file(const std::string& path, const ReadRules& rules) {
  auto text = read_whole(path, rules);
  if (path != "-" || !rules.takes_pipes || !text) return text;
  static std::atomic<bool> was_read{false};
  if (was_read.exchange(true) && text->empty()) {
    return Error{"standard input", "it was read already, for another option",
                 "name a file for one of them"};
  }
  return text;
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
  rules.takes_binary = true;
  if (static_cast<std::uint64_t>(info.st_size) > most) return too_large(path, most);
  auto text = rest_of(in.get(), path, rules, false);
  if (!text) return text.error();
  return std::optional<std::string>(*std::move(text));
}

}  // namespace espalier
