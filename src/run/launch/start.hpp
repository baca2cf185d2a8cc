#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "launch/command_line.hpp"

namespace espalier::launch {

/// What a command needs: which of our libraries, and through which launcher it gets there.
struct Chosen {
  Mpi mpi = Mpi::Mpich;
  std::optional<CommandLine> line;  ///< nothing: no launcher, the command's own environment
  std::string script;               ///< sbatch: the text of its script, as far as it is known
  std::vector<std::string> notes;   ///< what may go wrong, and what to do
};

/// @param named what --mpi says: then neither the launcher nor the programs are looked at
Expected<Chosen> choose_start(const std::vector<std::string>& words, std::optional<Mpi> named);

/// A command, and how its environment differs from ours.
struct Start {
  std::vector<std::string> words;
  Variables set;
  std::vector<std::string> unset;
};

/// The command that preloads the libraries (with ":" between them) and sets these variables in all
/// processes.
Expected<Start> start_of(const Chosen& chosen, const std::vector<std::string>& words,
                         const std::string& libraries, const Variables& settings);

/// The command as text for people and shells.
[[nodiscard]] std::string to_text(const Start& start);

/// What to tell someone whose launcher is known to fail on such a line, with Espalier or without.
/// @param version Open MPI's version, as the launcher tells it; empty: not known
[[nodiscard]] std::optional<std::string> note_on_several_programs(const CommandLine& line,
                                                                  const std::string& version);

/// Libraries as LD_PRELOAD can name them.
struct Preload {
  std::string libraries;  ///< paths of the libraries, separated by ":"
  Variables variables;    ///< environment that the loader needs to find the preloads
};

/// LD_PRELOAD ends names at blanks, and nothing quotes them. A library in a folder with a blank in
/// its name is named without its folder, which goes to the front of LD_LIBRARY_PATH.
/// @param libraries    whole names with ":" between them
/// @param library_path LD_LIBRARY_PATH as it is
Expected<Preload> preload_of(const std::string& libraries, const std::string& library_path);

}  // namespace espalier::launch
