#include "tree/participants.hpp"

#include "base/contract.hpp"

namespace espalier::tree {

Participants everybody(Rank machine_size, Rank root) {
  expects(root < machine_size, "everybody: the root is not a rank of the machine");
  Participants who{machine_size, root, {}};
  who.others.reserve(machine_size - 1);
  for (Rank r = root + 1; r < machine_size; ++r) who.others.push_back(r);
  for (Rank r = 0; r < root; ++r) who.others.push_back(r);
  return who;
}

Participants multicast(Rank machine_size, Rank root, std::span<const Rank> to) {
  Participants who{machine_size, root, {}};
  for (const Rank r : to) {
    if (r != root) who.others.push_back(r);
  }
  expects_valid(who);
  return who;
}

void expects_valid(const Participants& who) {
  std::vector<bool> seen(who.machine_size, false);
  expects(who.root < who.machine_size, "participants: the root is not a rank of the machine");
  seen[who.root] = true;
  for (const Rank r : who.others) {
    expects(r < who.machine_size, "participants: not a rank of the machine");
    expects(!seen[r], "participants: a rank stands twice");
    seen[r] = true;
  }
}

}  // namespace espalier::tree
