#include "launch/run_and_read.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "launch/spawn_attributes.hpp"

namespace espalier::launch {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

}  // namespace

Expected<Finished> run_and_read(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{"a pipe", std::strerror(errno), ""};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, words.front(), &actions, SpawnAttributes().get(), words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Finished result;
  std::array<char, 65536> part{};
  for (ssize_t n = 0; failed == 0 && (n = ::read(ends[0], part.data(), part.size())) > 0;) {
    if (result.output.size() < kMostBytes) {
      result.output.append(part.data(), static_cast<std::size_t>(n));
    }
  }
  close(ends[0]);
  if (failed != 0) {
    return Error{command.front(), std::string("it cannot be started: ") + std::strerror(failed),
                 "check that it is a program"};
  }
  int status = 0;
  waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace espalier::launch
