#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"

namespace espalier::launch {

struct Finished {
  std::string output;  ///< standard output, up to 64 MiB
  int exit_code = 0;   ///< exit code, or 128 + the signal that ended it
};

/// Runs a command to its end. Its standard error is ours.
Expected<Finished> run_and_read(const std::vector<std::string>& command);

}  // namespace espalier::launch
