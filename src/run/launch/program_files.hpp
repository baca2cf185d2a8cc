#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "launch/launcher_options.hpp"

namespace espalier::launch {

/// The same command with the programs that a file names (-configfile of MPICH, --app of Open MPI)
/// in the place of that option: one part a line, "#" begins a comment, words end at blanks and are
/// not quoted (both launchers read them so).
Expected<std::vector<std::string>> with_files_read(std::vector<std::string> words,
                                                   std::size_t launcher, Launcher kind);

}  // namespace espalier::launch
