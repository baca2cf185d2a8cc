#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/launcher_options.hpp"
#include "launch/mpi_kind.hpp"
#include "launch/wrappers.hpp"

namespace espalier::launch {

/// A launcher's command line, taken apart:  mpiexec -n 2 a : -n 4 b
/// Programs that a file names (-configfile, --app) stand in it as if they had been typed.
struct CommandLine {
  /// One program with its options: words [first, program) are options, words[program] its name.
  struct Part {
    std::size_t first = 0;
    std::size_t program = 0;
    std::string directory;  ///< where it will run, if an option says so
  };
  std::vector<std::string> words;
  std::size_t launcher = 0;  ///< "mpiexec" in "env A=1 mpiexec ..."
  Launcher kind = Launcher::Hydra;
  std::vector<Part> parts;

  /// A part's program and all behind it.
  [[nodiscard]] std::vector<std::string> command_of(std::size_t part) const;
};

/// The word that is the launcher by its name (is_launcher_name()): the first of all, or the program
/// behind wrappers such as "env A=1". Nothing if another program comes first: what is behind that
/// are its arguments, whatever they are called.
[[nodiscard]] std::optional<std::size_t> find_launcher(const std::vector<std::string>& words,
                                                       const IsProgram& is_program);
/// The same, or else the first of all.
[[nodiscard]] std::size_t launcher_among(const std::vector<std::string>& words,
                                         const IsProgram& is_program);

/// Which of Slurm's launchers this word names, by the name of its file alone.
[[nodiscard]] std::optional<Launcher> slurm_launcher(const std::string& word);

/// @param is_program whether a word names a program; asked for options that are not known
Expected<CommandLine> take_apart(std::vector<std::string> words, Launcher kind,
                                 const IsProgram& is_program);

/// The first option of any part that has one of these names (without dashes), as it is written.
[[nodiscard]] std::optional<std::string> option_among(const CommandLine& line,
                                                      std::span<const std::string_view> names);

/// Whether the launcher may start processes on other hosts than this: it is one of Slurm's, an
/// option or a variable names hosts, or we are in a job of a resource manager, which names them.
[[nodiscard]] bool may_use_other_hosts(const CommandLine& line);

using Variables = std::vector<std::pair<std::string, std::string>>;

/// A library and others behind it, as LD_PRELOAD has them; none of ours twice.
[[nodiscard]] std::string joined(const std::string& library, const std::string& others);

/// The command line of a mpiexec that gives all processes of all parts these variables and preloads
/// a library in them, before those that are preloaded anyway: `preloaded` (from the environment),
/// or what the line itself says.
/// @pre !is_slurm(line.kind)
[[nodiscard]] std::vector<std::string> with_preload(const CommandLine& line,
                                                    const std::string& library,
                                                    const std::string& preloaded,
                                                    const Variables& variables);

/// The command as text for people and shells, quoted where needed.
[[nodiscard]] std::string to_text(const std::vector<std::string>& words);

}  // namespace espalier::launch
