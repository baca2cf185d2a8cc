#include "launch/ask.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "launch/spawn_attributes.hpp"

namespace espalier::launch {
namespace {

constexpr std::size_t kMostAnswer = 1U << 16U;

/// Reads until the end or until the time is over. @return whether it came to the end
bool read_all(int from, int seconds, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  std::array<char, 4096> part{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd one{from, POLLIN, 0};
    if (left.count() <= 0 || poll(&one, 1, static_cast<int>(left.count())) <= 0) return false;
    const ssize_t n = ::read(from, part.data(), part.size());
    if (n <= 0) return true;
    if (text.size() < kMostAnswer) text.append(part.data(), static_cast<std::size_t>(n));
  }
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> found;
  for (const std::string& word : words) found.push_back(const_cast<char*>(word.c_str()));
  found.push_back(nullptr);
  return found;
}

bool is_program(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string output_of(const std::vector<std::string>& command,
                      const std::vector<std::string>& variables, int seconds) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> all = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) all.emplace_back(*entry);
  }
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, command.front().c_str(), &actions, SpawnAttributes().get(),
                   pointers(command).data(), pointers(all).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (failed == 0 && !read_all(ends[0], seconds, text)) (void)kill(child, SIGKILL);
  close(ends[0]);
  if (failed == 0) waitpid(child, nullptr, 0);
  return text;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) return value;
  if (std::string_view(name) != "PATH") return "";
  std::array<char, 256> usual{};  // where execvp() looks then
  return ::confstr(_CS_PATH, usual.data(), usual.size()) > 0 ? usual.data() : "";
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_in_path(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t colon = std::min(path.find(':', at), path.size());
    const std::string folder = path.substr(at, colon - at);
    if (folder.starts_with('/') &&
        fs::equivalent(fs::path(folder) / file_name(file), file, error)) {
      return true;
    }
    at = colon + 1;
  }
  return false;
}

std::string find_program(const std::string& name, const std::string& directory,
                         const std::string& path) {
  namespace fs = std::filesystem;
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) {
    // An absolute name stays what it is, and one that is seen from here too.
    const fs::path file = directory == "." ? fs::path(name) : fs::path(directory) / name;
    return is_program(file) ? file.string() : "";
  }
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t colon = std::min(path.find(':', at), path.size());
    const fs::path folder = colon == at ? fs::path(".") : fs::path(path.substr(at, colon - at));
    if (is_program(folder / name)) return (folder / name).string();
    at = colon + 1;
  }
  return "";
}

}  // namespace espalier::launch
