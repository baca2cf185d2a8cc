#include "base/contract.hpp"
#include "topology/readers.hpp"
#include "topology/slurm/topology_conf.hpp"

namespace espalier::topology {

Expected<LoadedMachine> read_slurm_topology(std::string_view text, const std::string& file,
                                            std::uint32_t processes_per_node) {
  expects(processes_per_node > 0, "read_slurm_topology: no processes on a node");
  auto conf = slurm::read_topology_conf(text, file);
  if (!conf) return conf.error();

  std::vector<std::string> notes = {"topology.conf gives no latencies or bandwidths"};
  if (conf->has_link_speed) notes.push_back("LinkSpeed is passed over: its unit is arbitrary");
  auto spec = conf->blocks.empty() ? slurm::switch_tree(*conf, processes_per_node, notes)
                                   : slurm::block_tree(*conf, processes_per_node);
  if (!spec) return spec.error();
  auto machine = build_machine(*spec);
  if (!machine) return machine.error();
  return LoadedMachine{*std::move(machine), std::move(notes)};
}

}  // namespace espalier::topology
