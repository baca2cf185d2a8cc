#include "collective/flat_call.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"

namespace espalier::collective {

using schedule::IndexSet;

std::vector<Rank> all_ranks(const topology::Machine& machine, RankOrder order) {
  std::vector<Rank> ranks(machine.size());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  if (order == RankOrder::AlongTree) {
    for (Rank& rank : ranks) rank = machine.rank_at(rank);
  }
  return ranks;
}

FlatCall::FlatCall(const schedule::Collective& call, const topology::Machine& machine, RankOrder by,
                   Rank me)
    : participants(by == RankOrder::Rising ? all_participants(machine.size(), me)
                                           : along_machine(machine, me)),
      order(by),
      rank(me),
      root(by == RankOrder::Rising ? call.root : machine.leaf_of(call.root)),
      block(call.block()),
      element(call.element) {
  expects(call.size == machine.size(), "FlatCall: call and machine differ in size");
}

BlockLayout FlatCall::blocks(schedule::Buffer buffer) const {
  if (order == RankOrder::Rising) {
    return BlockLayout::uniform(buffer, 0, participants.size(), block);
  }
  std::vector<IndexSet> members;
  members.reserve(participants.size());
  for (Rank p = 0; p < participants.size(); ++p) {
    members.push_back(IndexSet::single(participants[p]));
  }
  return BlockLayout::bundles(buffer, 0, block, members);
}

}  // namespace espalier::collective
