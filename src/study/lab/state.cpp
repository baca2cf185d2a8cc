#include "lab/state.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "topology/load_machine.hpp"

namespace espalier::lab {
namespace {

bool is_plain(const std::string& path) {
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/-_.+", c) != nullptr;
    if (!plain) return false;
  }
  return true;
}

}  // namespace

Expected<StateFolder> state_folder(const std::string& path) {
  std::error_code bad;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, bad);
  if (bad || path.empty() || !is_plain(whole.string()) || whole == whole.root_path()) {
    return Error{"--state", fmt::format("\"{}\" is no folder for a lab's state", path),
                 "give a path of letters, digits and -_.+"};
  }
  return StateFolder{whole.string()};
}

Expected<StateLock> StateLock::take(const StateFolder& folder, std::chrono::milliseconds patience) {
  while (true) {
    if (::mkdir(folder.path.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error(folder.path, "cannot make the lab's folder");
    }
    const int fd = ::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
      if (errno == ENOENT) continue;
      return system_error(folder.path, "cannot open the lab's folder");
    }
    if (!lock_within(fd, LOCK_EX, patience)) {
      const bool is_held = errno == EWOULDBLOCK;
      const Error why = system_error(folder.path, "cannot lock the lab's folder");
      ::close(fd);
      if (!is_held) return why;
      return Error{folder.path,
                   fmt::format("another command holds this lab for more than {} s",
                               std::chrono::duration_cast<std::chrono::seconds>(patience).count()),
                   "wait for it, or end it: fuser -v " + folder.path};
    }
    // Whoever held it may have removed the folder meanwhile.
    struct stat held {};
    struct stat there {};
    if (::fstat(fd, &held) == 0 && ::stat(folder.path.c_str(), &there) == 0 &&
        held.st_ino == there.st_ino && held.st_dev == there.st_dev) {
      return StateLock(fd);
    }
    ::close(fd);
  }
}

StateLock::~StateLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

Expected<std::string> read_text(const std::string& path) {
  return read_named_file(path, {.takes_pipes = true, .takes_binary = true});
}

std::optional<Error> write_text(const std::string& path, const std::string& text, mode_t mode) {
  return replace_own_file(path, text, mode);
}

Expected<topology::Machine> saved_machine(const StateFolder& folder) {
  auto text = read_text(folder.machine());
  if (!text) {
    return Error{"lab", fmt::format("no lab is up in {}", folder.path),
                 "start one: espalier lab up MACHINE"};
  }
  auto loaded = topology::parse_machine(*text, folder.machine());
  if (!loaded) return loaded.error();
  return std::move(loaded->machine);
}

std::vector<pid_t> saved_pids(const std::string& path) {
  const auto text = read_named_file(path);
  std::istringstream in(text ? *text : "");
  std::vector<pid_t> pids;
  for (pid_t pid = 0; in >> pid;) pids.push_back(pid);
  return pids;
}

}  // namespace espalier::lab
