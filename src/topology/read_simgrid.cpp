#include "topology/read_simgrid.hpp"

#include "topology/simgrid/read_platform.hpp"
#include "topology/simgrid/to_machine.hpp"

namespace espalier::topology {

Expected<LoadedMachine> read_simgrid(std::string_view text, const std::string& file) {
  auto platform = simgrid::read_platform(text, file);
  if (!platform) return platform.error();
  return simgrid::to_machine(std::move(*platform));
}

}  // namespace espalier::topology
