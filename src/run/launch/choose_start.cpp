#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "launch/ask.hpp"
#include "launch/inside.hpp"
#include "launch/loader.hpp"
#include "launch/slurm.hpp"
#include "launch/start.hpp"

namespace espalier::launch {
namespace {

using Words = std::vector<std::string>;

bool can_be_started(const std::string& word) {
  return !find_program(word, ".", environment("PATH")).empty();
}

CommandContext context_of(const CommandLine::Part& part) {
  return {part.directory.empty() ? "." : part.directory, environment("PATH")};
}

/// What a launcher says of itself.
struct AskedLauncher {
  SomeMpi mpi;
  Launcher kind = Launcher::Hydra;
};

/// Whether a word that is called like a launcher is one. A file "mpirun.sh" in some folder is a
/// program like others, unless it shows itself to be a launcher.
bool is_launcher(const std::string& word) {
  if (is_plain_launcher_name(word)) return true;
  const std::string file = find_program(word, ".", environment("PATH"));
  return file.empty() || is_in_path(file, environment("PATH")) ||
         !version_text_of_launcher(file).empty();
}

Expected<AskedLauncher> ask_launcher(const std::string& launcher) {
  const std::string file = find_program(launcher, ".", environment("PATH"));
  if (file.empty()) {
    return Error{launcher, "there is no such program",
                 "install the MPI that the program is built with, or write its launcher with its "
                 "folder"};
  }
  const std::string text = version_of_launcher(file, environment("PATH"));
  if (auto mpi = mpi_launcher(file, text)) {
    const bool is_open_mpis = mpi->family == Family::OpenMpi;
    const Launcher kind = launcher_kind(is_open_mpis ? Mpi::OpenMpi : Mpi::Mpich, file, text);
    return AskedLauncher{std::move(*mpi), kind};
  }
  if (!is_in_path(file, environment("PATH"))) {
    return Error{launcher,
                 "no MPI found: its file does not tell whose launcher it is, and launchers that "
                 "are not in PATH are not asked",
                 "put its folder into PATH, or say which it is with --mpi mpich or --mpi openmpi"};
  }
  return Error{launcher, "no MPI found: it is neither MPICH's mpiexec nor Open MPI's",
               "if it starts programs like one of them, say so with --mpi mpich or --mpi openmpi"};
}

/// No launcher: a program by itself, or a script that has one in it.
Expected<Chosen> choose_alone(const Words& words, std::optional<Mpi> named) {
  if (named) return Chosen{*named, {}, "", {}};
  auto used = mpi_of_command(words, {".", environment("PATH")});
  if (!used) return used.error();
  if (*used) return Chosen{(*used)->mpi, {}, "", {}};
  return Error{words.front(), "no MPI found: neither it nor what it runs is linked with one",
               "put the launcher behind \"--\", such as mpiexec -n 4 ./program; if it loads MPI "
               "later, say which with --mpi"};
}

/// What part of a Slurm line would run, as far as it can be seen.
Expected<std::optional<UsedMpi>> mpi_of_part(const CommandLine& line, std::size_t part,
                                             std::string& script) {
  const CommandContext context = context_of(line.parts[part]);
  const Words command = line.command_of(part);
  if (line.kind == Launcher::Sbatch) {
    const auto wrap = option_of(line, part, "wrap");
    if (!wrap && command.empty())
      return std::optional<UsedMpi>{};  // the script comes from standard input
    script = wrap ? *wrap : text_of(command.front());
    std::error_code failed;
    if (!wrap && !std::filesystem::exists(command.front(), failed)) {
      return failed ? cannot_be_looked_at(command.front(), failed)
                    : Error{command.front(), "there is no such script", "check its name"};
    }
    return mpi_of_script(script, wrap ? "--wrap" : command.front(), context);
  }
  const auto options_end =
      line.words.begin() + static_cast<std::ptrdiff_t>(line.parts[part].program);
  const auto options = line.words.begin() + static_cast<std::ptrdiff_t>(line.parts[part].first);
  if (std::find(options, options_end, "--multi-prog") != options_end) {
    return mpi_of_script(text_of(command.front()), command.front(), context);
  }
  return mpi_of_command(command, context);
}

Expected<Chosen> choose_slurm(const Words& words, Launcher kind, std::optional<Mpi> named) {
  auto line = take_apart(words, kind, can_be_started);
  if (!line) return line.error();
  Chosen chosen{Mpi::Mpich, *line, "", {}};
  std::optional<UsedMpi> first;
  for (std::size_t p = 0; p < line->parts.size(); ++p) {
    auto used = mpi_of_part(*line, p, chosen.script);
    if (!used && !named) return used.error();
    if (!used || !*used) continue;
    if (first && first->mpi != (*used)->mpi && !named) {
      return Error{(*used)->who,
                   fmt::format("it is linked with {}, but {} with {}", name_of((*used)->mpi),
                               first->who, name_of(first->mpi)),
                   "programs of one job need one MPI"};
    }
    if (!first) first = **used;
  }
  if (!first && !named) {
    return Error{line->words[line->launcher],
                 "no MPI found: what it runs is not linked with one, or cannot be seen",
                 "say which it is with --mpi mpich or --mpi openmpi"};
  }
  chosen.mpi = named ? *named : first->mpi;
  if (kind == Launcher::Srun) {
    auto type = option_of(*line, 0, "mpi");
    if (auto note = note_on_type(chosen.mpi, type.value_or(""))) chosen.notes.push_back(*note);
  }
  return chosen;
}

Expected<Chosen> choose_mpiexec(const Words& words, const std::string& launcher,
                                std::optional<Mpi> named) {
  if (named) {
    auto line = take_apart(words, launcher_kind(*named, launcher, ""), can_be_started);
    if (!line) return line.error();
    return Chosen{*named, std::move(*line), "", {}};
  }
  auto asked = ask_launcher(launcher);
  if (!asked) return asked.error();
  auto mpi = served_by(asked->mpi, launcher);
  if (!mpi) return mpi.error();
  auto line = take_apart(words, asked->kind, can_be_started);
  if (!line) return line.error();
  Chosen chosen{*mpi, *line, "", {}};
  if (auto note = note_on_several_programs(*line, asked->mpi.version)) {
    chosen.notes.push_back(std::move(*note));
  }
  for (std::size_t p = 0; p < line->parts.size(); ++p) {
    const Words command = line->command_of(p);
    auto used = mpi_of_command(command, context_of(line->parts[p]));
    if (!used) return used.error();
    if (!*used) {
      chosen.notes.push_back(
          fmt::format("no MPI is seen in {}: if it does not load one later, nothing is planned",
                      command.front()));
    }
    if (*used && (*used)->mpi != *mpi) {
      return wrong_launcher(command.front(), **used, launcher, *mpi, "");
    }
  }
  return chosen;
}

}  // namespace

Expected<Chosen> choose_start(const Words& words, std::optional<Mpi> named) {
  const auto launcher = find_launcher(words, can_be_started);
  if (!launcher || !is_launcher(words[*launcher])) return choose_alone(words, named);
  if (const auto kind = slurm_launcher(words[*launcher])) return choose_slurm(words, *kind, named);
  return choose_mpiexec(words, words[*launcher], named);
}

}  // namespace espalier::launch
