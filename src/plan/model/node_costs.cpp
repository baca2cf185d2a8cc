#include "model/node_costs.hpp"

namespace espalier::model {

std::vector<Time> send_costs(const topology::Machine& machine, Bytes size) {
  std::vector<Time> costs(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) costs[r] = machine.costs(r).send.of(size);
  return costs;
}

std::vector<Time> recv_costs(const topology::Machine& machine, Bytes size) {
  std::vector<Time> costs(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) costs[r] = machine.costs(r).recv.of(size);
  return costs;
}

std::vector<Time> combine_costs(const topology::Machine& machine, Bytes size) {
  std::vector<Time> costs(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) {
    costs[r] = transfer_time(size, machine.costs(r).reduce);
  }
  return costs;
}

}  // namespace espalier::model
