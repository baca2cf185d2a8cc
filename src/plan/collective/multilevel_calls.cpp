#include "collective/multilevel_calls.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collective/allreduce.hpp"
#include "collective/multilevel_call.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using schedule::Region;

Program MultilevelCall::build() && {
  switch (call_.operation) {
    case Operation::Broadcast:
      tree_broadcast(program_, links(call_.root), out_);
      break;
    case Operation::Reduce:
      reduce_to(call_.root, rank_ == call_.root ? out_ : Region{});
      break;
    case Operation::Allreduce:
      allreduce();
      break;
    case Operation::Barrier:
      barrier();
      break;
    case Operation::Gather:
      gather();
      break;
    case Operation::Scatter:
      scatter();
      break;
    case Operation::Allgather:
      allgather();
      break;
    case Operation::Alltoall:
      alltoall();
      break;
    case Operation::ReduceScatter:
      reduce_scatter();
      break;
    case Operation::Scan:
    case Operation::Exscan:
      multilevel_scan(program_, hierarchy_, choice_.levels, call_.operation == Operation::Scan, in_,
                      out_);
      break;
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      break;  // no algorithm has it
  }
  return std::move(program_).build();
}

std::vector<std::vector<Rank>> MultilevelCall::bundles(const TreeLinks& mine, Rank root,
                                                       std::uint32_t from_level) const {
  std::vector<std::vector<Rank>> all;
  for (const TreeEdge& child : mine.children) all.push_back(subtree(root, child.peer, from_level));
  return all;
}

Participants MultilevelCall::top_masters() const {
  Participants participants;
  participants.ranks = hierarchy_.masters_of_members(0, 0);
  std::sort(participants.ranks.begin(), participants.ranks.end());
  const auto me = std::find(participants.ranks.begin(), participants.ranks.end(), rank_);
  participants.me = static_cast<Rank>(me - participants.ranks.begin());
  return participants;
}

void MultilevelCall::barrier() {
  const bool exchange = choice_.top == Top::Exchange;
  const TreeLinks mine = links(0, exchange ? 1 : 0);
  for (const TreeEdge& child : mine.children) program_.recv(child.peer, {});
  program_.fence();
  if (mine.parent.peer != kNoRank) {
    program_.send(mine.parent.peer, {});
    program_.fence();
    program_.recv(mine.parent.peer, {});
  } else if (exchange) {
    direct_exchange_barrier(program_, top_masters());
  }
  program_.fence();
  for (const TreeEdge& child : mine.children) program_.send(child.peer, {});
}

Program multilevel_program(const Hierarchy& hierarchy, const MultilevelChoice& choice,
                           const Collective& call, Rank rank) {
  expects(choice.levels.size() == hierarchy.machine().levels().size(),
          "multilevel_program: not one choice for each level");
  expects(call.size == hierarchy.machine().size(),
          "multilevel_program: call and machine differ in size");
  return MultilevelCall(hierarchy, choice, call, rank).build();
}

}  // namespace espalier::collective
