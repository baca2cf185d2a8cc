#include "lab/own_lab.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lab/lab.hpp"

namespace espalier::lab {
namespace {

[[noreturn]] void watch_from(int from, const StateFolder& folder) {
  ::setsid();  // what ends a terminal's processes does not end this one
  for (const int ignored : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) (void)::signal(ignored, SIG_IGN);
  if (::chdir("/") != 0) ::_exit(1);
  ::prctl(PR_SET_NAME, "espalier-watch");
  // Nobody waits for our standard streams, and locks of the parent are not held.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
  ::dup2(from, 3);
  ::close_range(4, ~0U, 0);
  char byte = 0;
  ssize_t got = 0;
  while ((got = ::read(3, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (got == 0) (void)down(folder);
  ::_exit(0);
}

}  // namespace

Expected<TakenDownAfterUs> TakenDownAfterUs::watch(const StateFolder& folder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("lab", "cannot make a pipe");
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("lab", "cannot start a process");
  if (pid == 0) watch_from(from.get(), folder);
  return TakenDownAfterUs(pid, std::move(to));
}

TakenDownAfterUs::~TakenDownAfterUs() {
  if (pid_ == 0) return;
  (void)!::write(to_watcher_.get(), "d", 1);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace espalier::lab
