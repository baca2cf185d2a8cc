#include "launch/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/contract.hpp"
#include "launch/ask.hpp"
#include "launch/launcher_options.hpp"

namespace espalier::launch {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// Where the program will run, if this option says so: "--wdir" "/tmp", "--chdir=/tmp".
std::optional<std::string> directory_in(const std::string& option, const std::string& next) {
  const std::string_view whole = without_dashes(option);
  const std::size_t equals = whole.find('=');
  const std::string_view name = whole.substr(0, equals);
  if (name != "wd" && name != "wdir" && name != "chdir" && option != "-D") return std::nullopt;
  return equals == std::string_view::npos ? next : std::string(whole.substr(equals + 1));
}

Expected<CommandLine::Part> read_part(const CommandLine& line, std::size_t first, std::size_t end,
                                      const IsProgram& is_program) {
  CommandLine::Part part{first, first, ""};
  while (part.program < end && is_option(line.words[part.program])) {
    const std::string& option = line.words[part.program];
    const std::size_t next = part.program + 1;
    const std::string next_word = next < end ? line.words[next] : "";
    if (auto directory = directory_in(option, next_word)) {
      part.directory = std::move(*directory);
    }
    // Of an option that is not known the next word may be the value, unless it can be run.
    const bool has_value = next < end && !is_option(next_word) && !is_program(next_word);
    part.program = next + values_of(line.kind, option, next_word).value_or(has_value ? 1 : 0);
  }
  // sbatch has its script from standard input, or from --wrap, if none is named.
  part.program = std::min(part.program, end);
  if (part.program < end || line.kind == Launcher::Sbatch) return part;
  return Error{to_text({line.words.begin() + static_cast<std::ptrdiff_t>(first),
                        line.words.begin() + static_cast<std::ptrdiff_t>(end)}),
               "no program is named here", "write mpiexec [OPTIONS] PROGRAM [ARGUMENTS]"};
}

/// Puts the library before others that options of this part preload already.
/// @return whether that serves for -genv (all parts) or -x (this part)
bool join_in_place(std::vector<std::string>& words, Launcher kind, std::size_t first,
                   std::size_t program, const std::string& library, const std::string& preloaded) {
  bool serves = false;
  for (std::size_t i = first; i < program; ++i) {
    if (!is_option(words[i])) continue;
    const std::string_view name = without_dashes(words[i]);
    constexpr std::string_view kAssignment = "LD_PRELOAD=";
    const bool is_hydras = kind == Launcher::Hydra && (name == "genv" || name == "env");
    const bool is_x = is_open_mpi(kind) && name == "x";
    if ((is_x || is_hydras) && words[i + 1].starts_with(kAssignment)) {
      words[i + 1] = fmt::format("{}{}", kAssignment,
                                 joined(library, words[i + 1].substr(kAssignment.size())));
      serves = serves || name != "env";
    } else if (is_x && words[i + 1] == "LD_PRELOAD") {
      words[i + 1] = fmt::format("{}{}", kAssignment, joined(library, preloaded));
      serves = true;
    } else if (is_hydras && words[i + 1] == "LD_PRELOAD") {
      words[i + 2] = joined(library, words[i + 2]);
      serves = serves || name == "genv";
    }
  }
  return serves;
}

void append_setting(std::vector<std::string>& words, Launcher kind, const std::string& name,
                    const std::string& value) {
  if (kind == Launcher::Hydra) {
    words.insert(words.end(), {"-genv", name, value});
  } else {
    words.insert(words.end(), {"-x", name + "=" + value});
  }
}

}  // namespace

std::vector<std::string> CommandLine::command_of(std::size_t part) const {
  const std::size_t end = part + 1 < parts.size() ? parts[part + 1].first - 1 : words.size();
  return {words.begin() + static_cast<std::ptrdiff_t>(parts[part].program),
          words.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::optional<Launcher> slurm_launcher(const std::string& word) {
  if (file_name(word) == "srun") return Launcher::Srun;
  if (file_name(word) == "sbatch") return Launcher::Sbatch;
  return std::nullopt;
}

std::optional<std::size_t> find_launcher(const std::vector<std::string>& words,
                                         const IsProgram& is_program) {
  for (std::size_t i = 0; i < words.size(); i = wrapped_program(words, i, is_program)) {
    if (is_launcher_name(words[i])) return i;
    if (!is_wrapper(words[i])) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t launcher_among(const std::vector<std::string>& words, const IsProgram& is_program) {
  return find_launcher(words, is_program).value_or(0);
}

std::string joined(const std::string& library, const std::string& others) {
  std::string all = library;
  for (std::size_t at = 0; at < others.size();) {
    const std::size_t end = std::min(others.find_first_of(": ", at), others.size());
    const std::string one = others.substr(at, end - at);
    at = end + 1;
    if (!one.empty() && file_name(one) != kLibrary) all += ":" + one;
  }
  return all;
}

Expected<CommandLine> take_apart(std::vector<std::string> words, Launcher kind,
                                 const IsProgram& is_program) {
  const std::size_t launcher = launcher_among(words, is_program);
  auto all = with_files_read(std::move(words), launcher, kind);
  if (!all) return all.error();
  CommandLine line{std::move(*all), launcher, kind, {}};
  for (std::size_t first = line.launcher + 1;;) {
    const auto begin =
        line.words.begin() + static_cast<std::ptrdiff_t>(std::min(first, line.words.size()));
    const auto end =
        static_cast<std::size_t>(std::find(begin, line.words.end(), ":") - line.words.begin());
    auto part = read_part(line, first, end, is_program);
    if (!part) return part.error();
    line.parts.push_back(std::move(*part));
    if (end == line.words.size()) return line;
    first = end + 1;
  }
}

std::vector<std::string> with_preload(const CommandLine& line, const std::string& library,
                                      const std::string& preloaded, const Variables& variables) {
  expects(!is_slurm(line.kind), "with_preload: Slurm's launchers have --export");
  std::vector<std::string> old = line.words;
  std::vector<bool> joined_here;
  for (const CommandLine::Part& part : line.parts) {
    joined_here.push_back(
        join_in_place(old, line.kind, part.first, part.program, library, preloaded));
  }
  const auto at = [&old](std::size_t i) { return old.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<std::string> words(old.begin(), at(line.launcher + 1));
  for (std::size_t p = 0; p < line.parts.size(); ++p) {
    // Hydra's -genv holds for all parts, Open MPI's -x for its own alone.
    if (p == 0 || is_open_mpi(line.kind)) {
      if (!joined_here[p])
        append_setting(words, line.kind, "LD_PRELOAD", joined(library, preloaded));
      for (const auto& [name, value] : variables) append_setting(words, line.kind, name, value);
    }
    const std::size_t end = p + 1 < line.parts.size() ? line.parts[p + 1].first : old.size();
    words.insert(words.end(), at(line.parts[p].first), at(end));
  }
  return words;
}

std::string to_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%";
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace espalier::launch
