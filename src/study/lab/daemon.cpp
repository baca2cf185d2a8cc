#include "lab/daemon.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "lab/ending.hpp"

namespace espalier::lab {
namespace {

constexpr char kReady = '+';  // ready; other bytes are an error: where \n what \n hint

void leave_the_terminal(const std::string& name) {
  ::setsid();
  if (::chdir("/") != 0) return;
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
  ::prctl(PR_SET_NAME, name.c_str());
  for (const int ignored : {SIGHUP, SIGINT, SIGPIPE}) ::signal(ignored, SIG_IGN);
}

void answer_and_close(int fd, const std::string& text) {
  if (::write(fd, text.data(), text.size()) < 0) ::_exit(1);
  ::close(fd);
}

[[noreturn]] void live(int answer, const std::string& name, const std::string& folder,
                       const std::function<std::optional<Error>()>& prepare,
                       const std::function<void()>& stay) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  leave_the_terminal(name);
  // Above all the lock on the state folder, which would be held as long as this process lives.
  answer = ::dup2(answer, 3);
  ::close_range(4, ~0U, 0);
  leave_word_of_signals(folder);
  if (const auto error = prepare()) {
    answer_and_close(answer, fmt::format("{}\n{}\n{}", error->where, error->what, error->hint));
    ::_exit(1);
  }
  // Before the answer: the parent may end as soon as it has read it.
  ::prctl(PR_SET_PDEATHSIG, 0);
  answer_and_close(answer, std::string(1, kReady));
  stay();
  ::_exit(0);
}

}  // namespace

Expected<Starting> start_daemon(const std::string& name, const std::string& folder,
                                const std::function<std::optional<Error>()>& prepare,
                                const std::function<void()>& stay) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{"lab", fmt::format("cannot make a pipe: {}", std::strerror(errno)), ""};
  }
  FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) {
    return Error{"lab", fmt::format("cannot start a process: {}", std::strerror(errno)), ""};
  }
  if (pid == 0) live(writer.get(), name, folder, prepare, stay);
  return Starting{pid, std::move(reader)};
}

Expected<pid_t> wait_until_ready(Starting daemon) {
  std::string text;
  char piece[512];
  while (true) {
    const ssize_t n = ::read(daemon.answer.get(), piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(piece, static_cast<std::size_t>(n));
  }
  if (text == std::string(1, kReady)) return daemon.pid;
  ::waitpid(daemon.pid, nullptr, 0);
  if (text.empty()) return Error{"lab", "a process of the lab ended before it was ready", ""};
  const std::size_t what = text.find('\n') + 1;
  const std::size_t hint = text.find('\n', what) + 1;
  return Error{text.substr(0, what - 1), text.substr(what, hint - what - 1), text.substr(hint)};
}

}  // namespace espalier::lab
