#include "cli/run_watched.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace espalier::cli {
namespace {

volatile sig_atomic_t command_running = 0;  // its process number

/// What a terminal sends reaches the command too.
void hand_on(int signal, siginfo_t* info, void* /*context*/) {
  const int old_errno = errno;
  if (info->si_code <= 0) (void)::kill(command_running, signal);
  errno = old_errno;
}

constexpr std::array kHandedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

void hand_on_signals() {
  for (const int signal : kHandedOn) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_IGN) continue;  // nohup, or "&" in a script
    now.sa_sigaction = hand_on;
    now.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigaction(signal, &now, nullptr);
  }
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  // Without the watch, what kills us would have killed the command.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  write_message(
      fmt::format("{}: error: it cannot be started: {}\n  hint: check that it is a program\n",
                  words.front(), std::strerror(errno)));
  ::_exit(kExitUsage);
}

/// Ends us as the command was ended, without a second core file.
int end_by(int signal) {
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);
  return 128 + signal;
}

}  // namespace

Sign::Sign() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  constexpr std::size_t kPath = offsetof(sockaddr_un, sun_path);
  // The system makes a name of its own for an address that has none: a 0 and some letters.
  socklen_t size = kPath;
  if (::bind(socket_.get(), generic, size) != 0) return;
  size = sizeof address;
  if (::getsockname(socket_.get(), generic, &size) != 0 || size <= kPath + 1) return;
  name_.assign(&address.sun_path[1], size - kPath - 1);
}

bool Sign::has_come() const {
  char byte = 0;
  return ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) >= 0;
}

bool is_started_by_launcher() {
  constexpr std::array kRanks{"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
  return std::any_of(kRanks.begin(), kRanks.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

Outcome run_watched(const std::vector<std::string>& words, const Sign& sign) {
  // If it is ignored, the system does not keep the command's exit code.
  auto* const child_at_start = ::signal(SIGCHLD, SIG_DFL);
  // A signal that comes before there is somebody to hand it to waits.
  sigset_t handed_on, blocked_at_start;
  ::sigemptyset(&handed_on);
  for (const int signal : kHandedOn) ::sigaddset(&handed_on, signal);
  ::sigprocmask(SIG_BLOCK, &handed_on, &blocked_at_start);
  const pid_t command = ::fork();
  if (command == 0) {
    (void)::signal(SIGCHLD, child_at_start);
    ::sigprocmask(SIG_SETMASK, &blocked_at_start, nullptr);
    become(words);
  }
  if (command < 0) {
    ::sigprocmask(SIG_SETMASK, &blocked_at_start, nullptr);
    return Failure{{words.front(), "no process can be started", ""}, kExitInternal};
  }
  command_running = command;
  hand_on_signals();
  ::sigprocmask(SIG_SETMASK, &blocked_at_start, nullptr);
  int status = 0;
  while (::waitpid(command, &status, 0) < 0 && errno == EINTR) {
  }
  if (!sign.has_come()) {
    write_message(
        "espalier run: note: --explain: no process on this host called MPI_Init with Espalier's "
        "library in it; \"espalier doctor PROGRAM\" tells what keeps it out\n");
  }
  const int code = WIFSIGNALED(status) ? end_by(WTERMSIG(status)) : WEXITSTATUS(status);
  if (code == 0) return {};
  return Failure{{}, code};  // empty error: the command has reported
}

}  // namespace espalier::cli
