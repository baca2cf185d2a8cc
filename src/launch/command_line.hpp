#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "launch/mpi_kind.hpp"

namespace espalier::launch {

/// A launcher's command line, taken apart:  mpiexec -n 2 a : -n 4 b
struct CommandLine {
  /// One program with its options: words [first, program) are options, words[program] its name.
  struct Part {
    std::size_t first = 0;
    std::size_t program = 0;
    std::string directory;  ///< where it will run, if an option says so
  };
  std::vector<std::string> words;
  std::size_t launcher = 0;  ///< "mpiexec" in "env A=1 mpiexec ..."
  Mpi mpi = Mpi::Mpich;      ///< of the launcher
  std::vector<Part> parts;
};

/// The word that is the launcher: the first whose file is called mpiexec, mpirun or orterun, else
/// the first of all.
[[nodiscard]] std::size_t launcher_among(const std::vector<std::string>& words);

/// @param is_program whether a word names a program; asked for options that are not known
Expected<CommandLine> take_apart(std::vector<std::string> words, Mpi mpi,
                                 const std::function<bool(const std::string&)>& is_program);

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The command line that gives all processes of all parts these variables and preloads a library in
/// them, before those that are preloaded anyway: `preloaded` (from the environment), or what the
/// line itself says.
[[nodiscard]] std::vector<std::string> with_preload(const CommandLine& line,
                                                    const std::string& library,
                                                    const std::string& preloaded,
                                                    const Variables& variables);

/// For people and shells: quoted where needed.
[[nodiscard]] std::string to_text(const std::vector<std::string>& words);

}  // namespace espalier::launch
