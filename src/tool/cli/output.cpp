#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"

namespace espalier::cli {
namespace {

/// Of SIGPIPE and SIGXFSZ: other programs that we become shall find them as we did.
sighandler_t pipe_at_start = SIG_DFL;
sighandler_t size_at_start = SIG_DFL;

/// What remember_words() was told.
std::vector<std::string> own_words;

/// Whether a word of the command line is a name of this file, or an option's value: "--svg=FILE".
bool is_name_of(const std::string& word, const struct stat& file) {
  const auto is_it = [&file](const std::string& name) {
    struct stat other {};
    return ::stat(name.c_str(), &other) == 0 && other.st_dev == file.st_dev &&
           other.st_ino == file.st_ino;
  };
  return is_it(word) || is_it(word.substr(word.find('=') + 1));
}

/// Why a file is not written: the command line names it once more, as what is read.
std::optional<Error> why_lost(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return std::nullopt;
  const auto named =
      std::count_if(own_words.begin(), own_words.end(),
                    [&file](const std::string& word) { return is_name_of(word, file); });
  if (named < 2) return std::nullopt;
  return Error{path, "the command line names it twice, and what is in it would be lost",
               "write to another file"};
}

Failure failure(const std::string& where, int code, int exit_code, const std::string& hint) {
  return {{where, fmt::format("cannot write: {}", std::generic_category().message(code)), hint},
          exit_code};
}

}  // namespace

void remember_words(std::span<const char* const> words) {
  own_words.assign(words.begin(), std::find(words.begin(), words.end(), std::string_view("--")));
}

Outcome write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    const int code = write_all(STDOUT_FILENO, text);
    if (code == 0 || code == EPIPE) return {};
    return failure("standard output", code, kExitInternal, "");
  }
  if (auto error = why_lost(path)) return Failure{*error};
  struct stat there {};
  const bool is_new = ::lstat(path.c_str(), &there) != 0;
  auto file = open_named_file(path);
  if (!file) return Failure{file.error(), kExitUsage};
  int code = write_all(file->get(), text);
  if (::close(file->release()) != 0 && code == 0) code = errno;
  if (code == 0 || code == EPIPE) return {};
  const bool is_removed = is_new && !remove_own_file(path);
  return failure(path, code, kExitInternal,
                 is_removed ? "nothing was left behind" : "the file is not complete");
}

std::optional<Error> why_not_writable(std::string_view option, const std::string& file) {
  namespace fs = std::filesystem;
  if (file.empty() || file == "-") return std::nullopt;
  const std::string where(option);
  std::error_code error;
  if (fs::is_directory(file, error)) {
    return Error{where, fmt::format("\"{}\" is a folder", file), "name a file"};
  }
  const fs::path folder = fs::absolute(file, error).parent_path();
  if (error) {
    return Error{where, fmt::format("\"{}\": the working folder is not there any more", file),
                 "change to another folder, or name the file from / on"};
  }
  if (is_writable_file(file)) return std::nullopt;
  if (!fs::is_directory(folder, error)) {
    return Error{where, fmt::format("there is no folder \"{}\"", folder.string()),
                 "make it, or name another file"};
  }
  return Error{
      where,
      fmt::format("\"{}\" cannot be written to", fs::exists(file, error) ? file : folder.string()),
      "name a file in another folder"};
}

std::optional<Error> written_twice(std::string_view option, const std::string& path,
                                   std::string_view other, const std::string& there) {
  if (path.empty() || path != there || path.starts_with("/dev/")) return std::nullopt;
  if (path == "-") {
    return Error{std::string(other), "two things would go to standard output",
                 "name a file for one"};
  }
  return Error{std::string(other), fmt::format("{} writes {} already", option, path),
               "name another file"};
}

Outcome replace_output(const std::string& path, std::string_view text) {
  if (auto same = why_lost(path)) return Failure{*same};
  const auto error = replace_named_file(path, text);
  if (!error) return {};
  // The name is right: that there is no room is no mistake of who called us.
  for (const int code : {ENOSPC, EDQUOT, EFBIG, EIO}) {
    if (error->what.ends_with(std::generic_category().message(code))) {
      return Failure{{error->where, error->what, "make room, or name a file elsewhere"},
                     kExitInternal};
    }
  }
  return Failure{*error};
}

Outcome write_drawing(const std::string& svg, const std::function<std::string()>& draw,
                      const std::function<std::string()>& text) {
  if (!svg.empty()) {
    Outcome drawn = write_output(svg, draw());
    if (drawn || svg == "-") return drawn;
  }
  return write_output("-", text());
}

void prepare_streams() {
  pipe_at_start = std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow is an error when it is written.
  size_at_start = std::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened for reading only: writing to it still fails, as it should.
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

void restore_signals() {
  (void)std::signal(SIGPIPE, pipe_at_start);
  (void)std::signal(SIGXFSZ, size_at_start);
}

}  // namespace espalier::cli
