#include "launch/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/loader.hpp"
#include "launch/program.hpp"
#include "launch/python.hpp"
#include "launch/wrappers.hpp"

namespace espalier::launch {
namespace {

using Words = std::vector<std::string>;
using Used = Expected<std::optional<UsedMpi>>;

constexpr std::size_t kDeepest = 4;       // scripts that run scripts
constexpr std::size_t kMostWords = 2000;  // most words of a script that are looked at

constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "zsh", "ksh", "ash"};

template <typename List>
bool is_among(const List& list, const std::string& program) {
  return std::find(list.begin(), list.end(), file_name(program)) != list.end();
}

Error no_such_program(const std::string& name) {
  std::error_code unknown;
  if (name.find('/') != std::string::npos && std::filesystem::is_regular_file(name, unknown)) {
    const bool is_script = beginning_of_file(name, 2) == "#!";
    return {
        name, "it may not be run by you",
        fmt::format("chmod +x {}{}", name, is_script ? ", or write sh (or sbatch) before it" : "")};
  }
  return {name, "there is no such program",
          name.find('/') == std::string::npos
              ? "write ./" + name + " if it is in this folder"
              : "check its name; a program that is on other hosts only needs --mpi"};
}

Words behind(const Words& words, std::size_t first) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end()};
}

class Search {
 public:
  explicit Search(CommandContext context) : context_(std::move(context)) {}

  Used command(const Words& words, std::size_t depth) {
    const std::string file = find(words.front());
    if (file.empty()) return no_such_program(words.front());
    auto program = look_at_program(file);
    if (!program) return program.error();
    auto mpi = mpi_of(*program);
    if (!mpi) return mpi.error();
    if (*mpi) return found(**mpi, words.front());
    if (depth == 0) return nothing();
    if (is_python(words.front())) return python(file, words);
    if (is_among(kShells, words.front())) return shell(words, depth);
    if (is_wrapper(words.front())) return wrapped(words, depth);
    if (!program->elf) return script_file(*program, words.front(), depth);
    return nothing();
  }

  Used script(const std::string& text, const std::string& name, std::size_t depth) {
    std::optional<UsedMpi> seen;
    std::size_t left = kMostWords;
    for (const Words& line : commands_in(text)) {
      for (std::size_t i = 0; i < line.size() && left > 0; ++i, --left) {
        auto here = word(behind(line, i), name, depth);
        if (!here) return here;
        if (!*here) continue;
        if (seen && seen->mpi != (*here)->mpi) {
          return Error{name,
                       fmt::format("it uses {} ({}) and {} ({})", name_of(seen->mpi), seen->who,
                                   name_of((*here)->mpi), (*here)->who),
                       "name the one that shall have the library with --mpi, or write espalier run "
                       "before each launcher in it"};
        }
        if (!seen) seen = **here;
      }
    }
    return seen;
  }

 private:
  static Used nothing() { return std::optional<UsedMpi>{}; }
  static Used found(Mpi mpi, std::string who) {
    return std::optional<UsedMpi>{{mpi, std::move(who)}};
  }
  [[nodiscard]] IsProgram can_be_found() const {
    return [this](const std::string& word) { return !find(word).empty(); };
  }
  [[nodiscard]] std::string find(const std::string& name) const {
    return find_program(name, context_.directory, context_.path);
  }

  /// A launcher in a script. What it starts needs the same MPI, and can be preloaded into.
  Used launcher(const Words& words, const std::string& file, const std::string& script) {
    const std::string text = version_of_launcher(file, context_.path);
    const auto mpi = mpi_launcher(file, text);
    if (!mpi) return nothing();
    auto served = served_by(*mpi, words.front());
    if (!served) return served.error();
    const auto line = take_apart(words, launcher_kind(*served, file, text), can_be_found());
    for (std::size_t p = 0; line && p < line->parts.size(); ++p) {
      if (!line->parts[p].directory.empty()) continue;
      const Words command = line->command_of(p);
      auto used = started(command);
      if (!used) {
        return nevertheless(used.error(), *served == Mpi::Mpich ? "mpich" : "openmpi", script);
      }
      if (*used && (*used)->mpi != *served) {
        return wrong_launcher(command.front(), **used, words.front(), *served, script);
      }
    }
    return found(*served, words.front());
  }

  /// srun in a script, which starts programs of any MPI.
  Used step(const Words& words, const std::string& script) {
    const auto line = take_apart(words, Launcher::Srun, can_be_found());
    for (std::size_t p = 0; line && p < line->parts.size(); ++p) {
      if (!line->parts[p].directory.empty()) continue;
      auto used = started(line->command_of(p));
      if (!used) return nevertheless(used.error(), "mpich (or openmpi)", script);
    }
    return nothing();
  }

  /// A script is more than one of its programs.
  static Error nevertheless(Error wrong, std::string_view mpi, const std::string& script) {
    wrong.hint += fmt::format("; espalier run --mpi {} runs {} all the same", mpi, script);
    return wrong;
  }

  /// What a launcher in a script starts. It may be built by the script only, or be named by a
  /// variable: then nothing is said.
  Used started(Words words) {
    while (is_wrapper(words.front())) {
      words = behind(words, wrapped_program(words, 0, can_be_found()));
      if (words.empty()) return nothing();
    }
    const std::string file = find(words.front());
    if (file.empty() || words.front().find('$') != std::string::npos) return nothing();
    if (is_python(words.front())) return python(file, words);
    auto program = look_at_program(file);
    if (!program) return nothing();
    auto mpi = mpi_of(*program);
    if (!mpi) return mpi.error();
    return *mpi ? found(**mpi, words.front()) : nothing();
  }

  /// A word of a script, with those behind it: most are no programs, and then say nothing.
  Used word(const Words& words, const std::string& script, std::size_t depth) {
    const std::string file = find(words.front());
    if (file.empty() || words.front().find('$') != std::string::npos) return nothing();
    if (is_launcher_name(words.front())) {
      const auto slurms = slurm_launcher(words.front());
      if (!slurms) return launcher(words, file, script);
      return *slurms == Launcher::Srun ? step(words, script) : nothing();
    }
    if (is_python(file)) return depth > 0 ? python(file, words) : nothing();
    // Of what a script runs beside, such as mount or a static tool, nothing is wanted.
    if (!plain_.insert(file).second) return nothing();
    auto program = look_at_program(file);
    if (!program) return nothing();
    if (!program->elf && depth > 0) return script_file(*program, words.front(), depth);
    if (program->mpis.empty()) return nothing();
    plain_.erase(file);
    auto mpi = mpi_of(*program);
    if (!mpi) return mpi.error();
    return found(**mpi, words.front());
  }

  Used python(const std::string& file, const Words& words) {
    std::string text;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool is_code = words[i] == "-c" || words[i] == "-m";
      if (is_code && i + 1 < words.size()) text = words[i + 1];
      if (!is_code && words[i].starts_with('-')) continue;
      if (!is_code) text = text_of((std::filesystem::path(context_.directory) / words[i]).string());
      break;
    }
    // Other modules may load another MPI: without the name nothing is known.
    if (text.find("mpi4py") == std::string::npos) return nothing();
    return mpi4py(file);
  }

  [[nodiscard]] Used mpi4py(const std::string& python) const {
    const auto file = mpi4py_of(python, context_.path);
    if (!file) return nothing();
    auto module = look_at_library(*file);
    if (!module) return nothing();
    for (const SomeMpi& one : module->mpis) {
      auto mpi = served_by(one, *file);
      if (!mpi) return mpi.error();
      return found(*mpi, "mpi4py");
    }
    return nothing();
  }

  /// Options of shells: "-euo pipefail" has a value, "-c" makes the first operand a script's text.
  Used shell(const Words& words, std::size_t depth) {
    bool is_text = false;
    std::size_t i = 1;
    for (; i < words.size() && words[i].size() > 1; ++i) {
      const std::string& word = words[i];
      if (word.front() != '-' && word.front() != '+') break;
      if (word == "--") {
        ++i;
        break;
      }
      if (word.starts_with("--")) {
        if (word == "--rcfile" || word == "--init-file") ++i;
        continue;
      }
      if (word.front() == '-' && word.find('c') != std::string::npos) is_text = true;
      i += static_cast<std::size_t>(
          std::count_if(word.begin(), word.end(), [](char c) { return c == 'o' || c == 'O'; }));
    }
    if (i < words.size() && words[i] == "-") ++i;
    if (i >= words.size()) return nothing();
    if (is_text) return script(words[i], words.front() + " -c", depth - 1);
    const std::string file = (std::filesystem::path(context_.directory) / words[i]).string();
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) {
      return failed ? cannot_be_looked_at(words[i], failed) : no_such_program(words[i]);
    }
    return script(text_of(file), words[i], depth - 1);
  }

  Used wrapped(const Words& words, std::size_t depth) {
    const std::size_t program = wrapped_program(words, 0, can_be_found());
    return program < words.size() ? command(behind(words, program), depth - 1) : nothing();
  }

  Used script_file(const Program& program, const std::string& name, std::size_t depth) {
    const std::string text = text_of(program.file);
    if (text.substr(0, text.find('\n')).ends_with('\r')) {
      return Error{
          name, "its lines end with CR LF: the system looks for an interpreter whose name ends so",
          fmt::format("let them end with LF: sed -i 's/\\r$//' {}", name)};
    }
    if (is_python(program.interpreter)) {
      const std::string file = find(program.interpreter);
      return file.empty() ? no_such_program(program.interpreter)
                          : python(file, {program.interpreter, program.file});
    }
    const bool is_shell = program.interpreter.empty() || is_among(kShells, program.interpreter);
    return is_shell ? script(text, name, depth - 1) : nothing();
  }

  /// The lines of a script without comments, in words; what joins commands parts them too.
  static std::vector<Words> commands_in(const std::string& text) {
    std::vector<Words> lines;
    std::istringstream rest(text);
    for (std::string line; std::getline(rest, line);) {
      for (char& c : line) {
        if (std::string_view(";|&()<>\"'`").find(c) != std::string_view::npos) c = ' ';
      }
      std::istringstream words(line);
      Words here;
      for (std::string word; words >> word && !word.starts_with('#');) here.push_back(word);
      if (!here.empty()) lines.push_back(std::move(here));
    }
    return lines;
  }

  CommandContext context_;
  std::set<std::string> plain_;  ///< files of a script that have been looked at
};

}  // namespace

Error wrong_launcher(const std::string& program, const UsedMpi& used, const std::string& launcher,
                     Mpi launchers, const std::string& place) {
  return {program,
          fmt::format("{} is linked with {}, but {}{} is {}'s",
                      used.who == program ? "it" : used.who, name_of(used.mpi), launcher,
                      place.empty() ? "" : " in " + place, name_of(launchers)),
          fmt::format("start it with {}'s mpiexec", name_of(used.mpi))};
}

Error cannot_be_looked_at(const std::string& name, const std::error_code& why) {
  return {name, fmt::format("it cannot be looked at: {}", why.message()),
          "check its name and who may enter its folder, or say which MPI it is with --mpi"};
}

std::string text_of(const std::string& file) {
  return beginning_of_file(file, std::uint64_t{1} << 20U);
}

Expected<std::optional<UsedMpi>> mpi_of_command(const std::vector<std::string>& words,
                                                const CommandContext& context) {
  return Search(context).command(words, kDeepest);
}

Expected<std::optional<UsedMpi>> mpi_of_script(const std::string& text, const std::string& name,
                                               const CommandContext& context) {
  return Search(context).script(text, name, kDeepest);
}

}  // namespace espalier::launch
