#pragma once

#include <string>

#include "base/expected.hpp"
#include "launch/command_line.hpp"

namespace espalier::launch {

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
