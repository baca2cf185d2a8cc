#include "select/speed_tree.hpp"

#include <vector>

#include "base/contract.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::select {

bool is_speed_tree(const std::string& name) { return name == "fnf" || name == "spoc"; }

bool has_unequal_senders(const topology::Machine& machine) {
  for (Rank r = 1; r < machine.size(); ++r) {
    if (machine.costs(r).send != machine.costs(0).send) return true;
  }
  return false;
}

tree::CommTree speed_tree(const SpeedTree& plan, const topology::Machine& machine,
                          const schedule::Collective& call) {
  expects(is_speed_tree(plan.name), "speed_tree: there is no such tree");
  const Bytes size{call.count * call.element.value};
  std::vector<Time> cost(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) cost[r] = machine.costs(r).send.of(size);
  const tree::Participants who = tree::everybody(machine.size(), call.root);
  return plan.name == "fnf" ? tree::fastest_node_first(cost, who) : tree::spoc(cost, who);
}

}  // namespace espalier::select
