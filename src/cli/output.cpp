#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace espalier::cli {
namespace {

/// Of SIGPIPE: other programs that we become shall find it as we did.
sighandler_t found_at_start = SIG_DFL;

/// 0, or what errno says.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Failure failure(const std::string& where, int code, int exit_code, const std::string& hint) {
  return {{where, fmt::format("cannot write: {}", std::generic_category().message(code)), hint},
          exit_code};
}

}  // namespace

Outcome write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    const int code = write_all(STDOUT_FILENO, text);
    if (code == 0 || code == EPIPE) return {};
    return failure("standard output", code, kExitInternal, "");
  }
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    return failure(path, errno, kExitUsage, "name a file in a folder that you may write to");
  }
  int code = write_all(file, text);
  if (::close(file) != 0 && code == 0) code = errno;
  if (code == 0 || code == EPIPE) return {};
  return failure(path, code, kExitInternal, "the file is not complete");
}

void write_message(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

void prepare_streams() {
  found_at_start = std::signal(SIGPIPE, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened for reading only: writing to it still fails, as it should.
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

void restore_signals() { (void)std::signal(SIGPIPE, found_at_start); }

}  // namespace espalier::cli
