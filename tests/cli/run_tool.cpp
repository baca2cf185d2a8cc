#include "cli/run_tool.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace espalier {
namespace {

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // a terminal whose other side is closed reports an error, not an end
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(file);
  return text;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> found;
  for (std::string& word : words) found.push_back(word.data());
  found.push_back(nullptr);
  return found;
}

/// In the child: becomes the program.
[[noreturn]] void become(std::vector<std::string> words, std::vector<std::string> variables) {
  (void)std::signal(SIGPIPE, SIG_DFL);
  variables.push_back(std::string("PATH=") + std::getenv("PATH"));
  variables.push_back(std::string("ESPALIER=") + ESPALIER_BINARY);
  ::execve(words[0].c_str(), pointers(words).data(), pointers(variables).data());
  ::_exit(127);
}

Ran run(std::vector<std::string> words, const std::vector<std::string>& variables) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipe";
    return {};
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    become(std::move(words), variables);
  }
  ::close(out[1]);
  ::close(err[1]);
  Ran ran;
  std::thread errors([&] { ran.err = read_all(err[0]); });
  ran.out = read_all(out[0]);
  errors.join();
  ran.exit_code = wait_for(child);
  return ran;
}

std::vector<std::string> with_tool(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{ESPALIER_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

Ran run_tool(const std::vector<std::string>& arguments, const std::vector<std::string>& variables) {
  return run(with_tool(arguments), variables);
}

Ran run_shell(const std::string& line) { return run({"/bin/bash", "-c", line}, {}); }

Ran run_tool_on_terminal(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& variables) {
  winsize size{};
  size.ws_row = 50;
  size.ws_col = 80;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become(with_tool(arguments), variables);
  Ran ran;
  ran.out = read_all(terminal);
  ran.exit_code = wait_for(child);
  return ran;
}

}  // namespace espalier
