#include "launch/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "launch/launcher_options.hpp"

namespace espalier::launch {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }
bool names_a_directory(std::string_view name) { return name == "wd" || name == "wdir"; }
bool names_a_file_of_programs(std::string_view name) {
  return name == "configfile" || name == "app";
}

Expected<CommandLine::Part> read_part(const CommandLine& line, std::size_t first, std::size_t end,
                                      const std::function<bool(const std::string&)>& is_program) {
  CommandLine::Part part{first, first, ""};
  while (part.program < end && is_option(line.words[part.program])) {
    const std::string& option = line.words[part.program];
    const std::size_t next = part.program + 1;
    const std::string_view name = without_dashes(option);
    if (names_a_file_of_programs(name)) {
      return Error{option, "programs that are named in a file cannot be looked at",
                   "write them into the command, with \":\" between them"};
    }
    if (names_a_directory(name) && next < end) part.directory = line.words[next];
    // Of an option that is not known the next word may be the value, unless it can be run.
    const bool has_value =
        next < end && !is_option(line.words[next]) && !is_program(line.words[next]);
    part.program = next + values_of(line.mpi, option).value_or(has_value ? 1 : 0);
  }
  if (part.program < end) return part;
  return Error{to_text({line.words.begin() + static_cast<std::ptrdiff_t>(first),
                        line.words.begin() + static_cast<std::ptrdiff_t>(end)}),
               "no program is named here", "write mpiexec [OPTIONS] PROGRAM [ARGUMENTS]"};
}

std::string joined(const std::string& library, const std::string& others) {
  return others.empty() ? library : library + ":" + others;
}

/// Puts the library before others that options of this part preload already.
/// @return whether that serves for -genv (all parts) or -x (this part)
bool join_in_place(std::vector<std::string>& words, Mpi mpi, std::size_t first, std::size_t program,
                   const std::string& library) {
  bool serves = false;
  for (std::size_t i = first; i < program; ++i) {
    if (!is_option(words[i])) continue;
    const std::string_view name = without_dashes(words[i]);
    constexpr std::string_view kAssignment = "LD_PRELOAD=";
    if (mpi == Mpi::OpenMpi && name == "x" && words[i + 1].starts_with(kAssignment)) {
      words[i + 1] = fmt::format("{}{}", kAssignment,
                                 joined(library, words[i + 1].substr(kAssignment.size())));
      serves = true;
    } else if (mpi == Mpi::Mpich && (name == "genv" || name == "env") &&
               words[i + 1] == "LD_PRELOAD") {
      words[i + 2] = joined(library, words[i + 2]);
      serves = serves || name == "genv";
    }
  }
  return serves;
}

void append_setting(std::vector<std::string>& words, Mpi mpi, const std::string& name,
                    const std::string& value) {
  if (mpi == Mpi::Mpich) {
    words.insert(words.end(), {"-genv", name, value});
  } else {
    words.insert(words.end(), {"-x", name + "=" + value});
  }
}

}  // namespace

std::size_t launcher_among(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string file = words[i].substr(words[i].rfind('/') + 1);
    for (const std::string_view name : {"mpiexec", "mpirun", "orterun"}) {
      if (file == name || file.starts_with(fmt::format("{}.", name))) return i;
    }
  }
  return 0;
}

Expected<CommandLine> take_apart(std::vector<std::string> words, Mpi mpi,
                                 const std::function<bool(const std::string&)>& is_program) {
  CommandLine line{std::move(words), 0, mpi, {}};
  line.launcher = launcher_among(line.words);
  for (std::size_t first = line.launcher + 1;;) {
    const auto colon = std::find(
        line.words.begin() + static_cast<std::ptrdiff_t>(std::min(first, line.words.size())),
        line.words.end(), ":");
    const auto end = static_cast<std::size_t>(colon - line.words.begin());
    auto part = read_part(line, first, end, is_program);
    if (!part) return part.error();
    line.parts.push_back(std::move(*part));
    if (end == line.words.size()) return line;
    first = end + 1;
  }
}

std::vector<std::string> with_preload(const CommandLine& line, const std::string& library,
                                      const std::string& preloaded, const Variables& variables) {
  std::vector<std::string> old = line.words;
  std::vector<bool> joined_here;
  for (const CommandLine::Part& part : line.parts) {
    joined_here.push_back(join_in_place(old, line.mpi, part.first, part.program, library));
  }
  const auto at = [&old](std::size_t i) { return old.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<std::string> words(old.begin(), at(line.launcher + 1));
  for (std::size_t p = 0; p < line.parts.size(); ++p) {
    // Hydra's -genv holds for all parts, Open MPI's -x for its own alone.
    if (p == 0 || line.mpi == Mpi::OpenMpi) {
      if (!joined_here[p])
        append_setting(words, line.mpi, "LD_PRELOAD", joined(library, preloaded));
      for (const auto& [name, value] : variables) append_setting(words, line.mpi, name, value);
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
