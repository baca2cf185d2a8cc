#pragma once

#include <optional>
#include <string>
#include <vector>

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

/// For people and shells.
[[nodiscard]] std::string to_text(const Start& start);

}  // namespace espalier::launch
