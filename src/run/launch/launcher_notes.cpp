#include "launch/launcher_notes.hpp"

#include <fmt/format.h>

namespace espalier::launch {

// Seen with Debian's Open MPI 5.0.7; open-mpi/ompi issues 12375 (5.0.2) and 13303 (5.0.10) tell the
// same. prterun without Open MPI's personality starts such lines.
std::optional<std::string> note_on_several_programs(const CommandLine& line,
                                                    const std::string& version) {
  if (line.kind != Launcher::Prrte || line.parts.size() < 2) return std::nullopt;
  if (!version.starts_with("5.0.")) return std::nullopt;
  return fmt::format(
      "{} of Open MPI {} may crash on several programs, with Espalier or without: prterun takes "
      "them",
      line.words[line.launcher], version);
}

}  // namespace espalier::launch
