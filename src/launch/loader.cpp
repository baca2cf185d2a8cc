#include "launch/loader.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

/// In a child, which ends here. MPI allows this call before MPI_Init, and all MPIs have it alike.
[[noreturn]] void tell_version(const std::string& library, int to) {
  (void)alarm(10);
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  static std::array<char, 65536> text{};
  int length = 0;
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  void* found = handle == nullptr ? nullptr : dlsym(handle, "MPI_Get_library_version");
  if (found != nullptr) {
    reinterpret_cast<int (*)(char*, int*)>(found)(text.data(), &length);
    const std::string_view told(text.data());
    if (write(to, told.data(), told.size()) < 0) _exit(1);
  }
  _exit(0);
}

}  // namespace

std::vector<Library> libraries_of(const Elf& elf, const std::string& file) {
  if (!file_name(elf.interpreter).starts_with("ld-linux")) return {};
  // A name without a slash would be looked for among libraries.
  const std::string whole = std::filesystem::absolute(file).string();
  std::istringstream lines(output_of({elf.interpreter, whole}, {"LD_TRACE_LOADED_OBJECTS=1"}));
  std::vector<Library> found;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, where;
    words >> name >> arrow >> where;
    if (arrow == "=>") {
      found.push_back({file_name(name), where.starts_with('/') ? where : ""});
    } else if (name.starts_with('/') && arrow.starts_with('(')) {
      found.push_back({file_name(name), name});
    }
  }
  return found;
}

std::string version_text_of(const std::string& library) {
  std::array<int, 2> ends{};
  if (library.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) tell_version(library, ends[1]);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; child > 0 && (n = ::read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return text;
}

}  // namespace espalier::launch
