#include "launch/ask.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace espalier::launch {
namespace {

constexpr std::size_t kMostBytes = 1U << 16U;

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; (n = read(from, part.data(), part.size())) > 0;) {
    if (text.size() < kMostBytes) text.append(part.data(), static_cast<std::size_t>(n));
  }
  return text;
}

bool is_program(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = failed == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (failed == 0) waitpid(child, nullptr, 0);
  return text;
}

std::string find_program(const std::string& name, const std::string& directory,
                         const std::string& path) {
  namespace fs = std::filesystem;
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) {
    const fs::path file = fs::path(directory) / name;  // an absolute name stays what it is
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
