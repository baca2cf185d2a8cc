#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::reproduce {

/// One run of a program under SimGrid's SMPI: every rank of the machine a simulated process.
struct SmpiRun {
  topology::Machine machine;
  std::vector<std::string> arguments;
};

/// Runs bench/smpi/groups.cpp there: what it printed. The caller hands it in, since experiments
/// start no processes.
using RunOnSmpi = std::function<Expected<std::string>(const SmpiRun&)>;

/// Options of `espalier reproduce --on smpi`.
struct SmpiStudyOptions {
  std::vector<std::string> parts;  ///< parts of the paper to run; empty means all
  std::uint64_t seed = 1;
  bool quick = false;
};

}  // namespace espalier::reproduce
