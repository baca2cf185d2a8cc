#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::topology {

/// A machine, and what could not be taken over from its description as it stood there.
struct LoadedMachine {
  Machine machine;
  std::vector<std::string> notes;  ///< "hwloc gives no latencies", one sentence each
};

/// A machine from whatever a user names on the command line: a file (our JSON, SimGrid platform
/// XML, hwloc XML, Slurm's topology.conf, a synthetic line; told apart by content), a synthetic
/// line itself ("site:2(30ms) proc:16"), or "random:SEED[:PROCESSES]".
Expected<LoadedMachine> load_machine(const std::string& argument);

/// load_machine() from text in memory; `file` is only named in errors.
Expected<LoadedMachine> parse_machine(const std::string& text, const std::string& file);

}  // namespace espalier::topology
