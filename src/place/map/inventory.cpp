#include "map/inventory.hpp"

#include <algorithm>
#include <set>

#include "topology/computers.hpp"

namespace espalier::map {
namespace {

/// "site0.node1" of "site0.node1.socket0"
std::string without_last(const std::string& path) { return path.substr(0, path.rfind('.')); }

}  // namespace

Inventory inventory_of(topology::Machine machine) {
  using topology::Leaf;
  // The order of the listing is the machine's own order of ranks; slots are leaves.
  const std::string& members = machine.levels().empty() ? "" : machine.levels().back().members;
  const bool joined = machine.clusters().size() > 1 &&
                      (members.rfind("proc", 0) == 0 || members.rfind("core", 0) == 0 ||
                       members.rfind("slot", 0) == 0 || members.rfind("rank", 0) == 0);
  const std::vector<Leaf> order(machine.placement().begin(), machine.placement().end());
  const std::vector<Leaf> along_the_tree = topology::block_placement(machine);
  machine = topology::with_placement(std::move(machine), along_the_tree);
  Inventory inventory{machine.name(), machine, {}, {}};
  std::vector<bool> listed(machine.size());
  std::vector<std::string> paths;  // names of the hosts as a lab gives them
  for (const Leaf leaf : order) {
    if (listed[leaf]) continue;
    Host host;
    topology::ClusterId top = machine.cluster_of(leaf);
    const bool whole_cluster =
        joined && top != 0 &&
        machine.clusters()[top].member_count == machine.clusters()[top].leaf_count;
    const std::string path = machine.describe(leaf);
    std::string host_path = whole_cluster ? without_last(path) : path;
    // Sockets and the like are parts of a host. The whole machine is none: it has a network.
    for (topology::ClusterId up = machine.clusters()[top].parent;
         whole_cluster && top != 0 && up != 0 &&
         topology::holds_only_processes(machine, machine.clusters()[up]);
         up = machine.clusters()[top].parent) {
      top = up;
      host_path = without_last(host_path);
    }
    const topology::Cluster& cluster = machine.clusters()[top];
    host.first_leaf = whole_cluster ? cluster.first_leaf : leaf;
    host.slots = host.cores = whole_cluster ? cluster.leaf_count : 1;
    if (whole_cluster) {
      host.name = cluster.name.empty() ? host_path : cluster.name;
    } else {
      host.name = machine.leaf_name(leaf).empty() ? path : machine.leaf_name(leaf);
    }
    const std::vector<topology::ClusterId> chain = machine.clusters_of(leaf);
    if (!chain.empty() && (!whole_cluster || chain[0] != top)) {
      host.cluster = machine.clusters()[chain[0]].name;
      if (host.cluster.empty()) host.cluster = path.substr(0, path.find('.'));
    }
    host.speed_millionths = machine.leaf_costs(leaf).speed_millionths;
    paths.push_back(std::move(host_path));
    std::replace(paths.back().begin(), paths.back().end(), '.', '-');
    std::fill_n(listed.begin() + static_cast<std::ptrdiff_t>(host.first_leaf), host.slots, true);
    inventory.hosts.push_back(std::move(host));
  }
  // Names need to be unique to write rank files with. If they are not, all say where they are.
  std::set<std::string> names;
  for (const Host& host : inventory.hosts) names.insert(host.name);
  if (names.size() == inventory.hosts.size()) return inventory;
  for (std::size_t h = 0; h < inventory.hosts.size(); ++h) inventory.hosts[h].name = paths[h];
  return inventory;
}

}  // namespace espalier::map
