#include "map/inventory.hpp"

#include <algorithm>
#include <set>

namespace espalier::map {

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
    const topology::ClusterId inner = machine.cluster_of(leaf);
    const topology::Cluster& cluster = machine.clusters()[inner];
    const std::string path = machine.describe(leaf);
    const bool whole_cluster = joined && inner != 0 && cluster.member_count == cluster.leaf_count;
    host.first_leaf = whole_cluster ? cluster.first_leaf : leaf;
    host.slots = host.cores = whole_cluster ? cluster.leaf_count : 1;
    if (whole_cluster) {
      host.name = cluster.name.empty() ? path.substr(0, path.rfind('.')) : cluster.name;
    } else {
      host.name = machine.leaf_name(leaf).empty() ? path : machine.leaf_name(leaf);
    }
    const std::vector<topology::ClusterId> chain = machine.clusters_of(leaf);
    if (!chain.empty() && (!whole_cluster || chain[0] != inner)) {
      host.cluster = machine.clusters()[chain[0]].name;
      if (host.cluster.empty()) host.cluster = path.substr(0, path.find('.'));
    }
    host.speed_millionths = machine.leaf_costs(leaf).speed_millionths;
    paths.push_back(whole_cluster ? path.substr(0, path.rfind('.')) : path);
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
