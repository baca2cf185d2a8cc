#include "launch/wrappers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

constexpr std::array<std::string_view, 5> kLauncherNames{"mpiexec", "mpirun", "orterun", "prterun",
                                                         "prun"};

constexpr std::array<std::string_view, 43> kWrappers{
    "env",     "time",           "nice",       "ionice",      "numactl",  "taskset",   "timeout",
    "stdbuf",  "nohup",          "setsid",     "chrt",        "strace",   "ltrace",    "perf",
    "gdb",     "valgrind",       "prlimit",    "hwloc-bind",  "setarch",  "x86_64",    "aarch64",
    "linux64", "sudo",           "unshare",    "unbuffer",    "xterm",    "salloc",    "catchsegv",
    "flock",   "systemd-run",    "setpriv",    "runuser",     "rr",       "heaptrack", "nsys",
    "ncu",     "likwid-perfctr", "likwid-pin", "perf-report", "scalasca", "hpcrun",    "vtune",
    "ddt"};

/// Wrappers whose first word says what they shall do: "perf stat", "setarch x86_64".
constexpr std::array<std::string_view, 3> kCommanded{"perf", "nsys", "setarch"};

bool has_name(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_dash(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// Whether this may be the value of the option before it.
bool may_be_value(const std::string& word, const std::string& before) {
  return has_dash(before) && before != "--" && before.find('=') == std::string::npos &&
         word.find('/') == std::string::npos;
}

/// Whether the first word behind this wrapper is no program: "perf stat", "flock FILE".
bool takes_a_word_first(const std::string& wrapper) {
  const std::string name = file_name(wrapper);
  return name == "flock" || has_name(kCommanded, name);
}

/// A name with a slash is a program or nothing, but for "env A=/b" and files of options.
bool must_be_program(const std::string& word, const std::string& before) {
  return word.find('/') != std::string::npos && word.find('=') == std::string::npos &&
         (before == "--" || !has_dash(before));
}

}  // namespace

bool is_plain_launcher_name(const std::string& word) {
  const std::string file = file_name(word);
  return file == "srun" || file == "sbatch" || has_name(kLauncherNames, file);
}

bool is_launcher_name(const std::string& word) {
  const std::string file = file_name(word);
  if (file.find_first_of(" \t\n") != std::string::npos) return false;
  const std::size_t dot = file.find('.');
  return is_plain_launcher_name(file) ||
         (dot != std::string::npos &&
          has_name(kLauncherNames, std::string_view(file).substr(0, dot)));
}

bool is_wrapper(const std::string& word) { return has_name(kWrappers, file_name(word)); }

std::size_t wrapped_program(const std::vector<std::string>& words, std::size_t wrapper,
                            const IsProgram& is_program) {
  std::size_t perhaps = words.size();  // a program, or an option's value
  bool skips_one = takes_a_word_first(words[wrapper]);
  for (std::size_t i = wrapper + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (has_dash(word)) continue;
    const bool is_runnable = is_program(word);
    if (is_launcher_name(word) &&
        (is_runnable || is_plain_launcher_name(word) || perhaps == words.size())) {
      return i;
    }
    const bool is_value = may_be_value(word, words[i - 1]);
    if (skips_one && !is_value) {
      skips_one = false;
      if (words[i - 1] != "--" && !words[i - 1].starts_with('-')) continue;
    }
    if (!is_runnable && !must_be_program(word, words[i - 1])) continue;
    if (!is_value) return i;
    perhaps = std::min(perhaps, i);
  }
  return perhaps;
}

}  // namespace espalier::launch
