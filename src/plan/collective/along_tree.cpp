#include "collective/along_tree.hpp"

#include <algorithm>
#include <array>

#include "base/contract.hpp"
#include "collective/allgather.hpp"
#include "collective/block_layout.hpp"
#include "collective/messages.hpp"
#include "collective/participants.hpp"
#include "collective/reduce_scatter.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Op;
using schedule::Operation;
using schedule::OpKind;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;
using topology::Machine;

namespace {

struct Allgather {
  std::string_view name;
  void (*append)(ProgramBuilder&, const Participants&, const BlockLayout&);
};
constexpr std::array kAllgathers{
    Allgather{"ring", ring_allgather},
    Allgather{"bruck", bruck_allgather},
    Allgather{"recursive-doubling", recursive_doubling_allgather},
    Allgather{"neighbour-exchange", neighbour_exchange_allgather},
};

struct ReduceScatter {
  std::string_view name;
  void (*append)(ProgramBuilder&, const Participants&, const BlockLayout&, const Region&);
};
constexpr std::array kReduceScatters{
    ReduceScatter{"ring", ring_reduce_scatter},
    ReduceScatter{"recursive-halving", recursive_halving_reduce_scatter},
};

template <typename Table>
const auto* find_in(const Table& table, std::string_view name) {
  const auto it =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.name == name; });
  return it == table.end() ? nullptr : &*it;
}

/// All ranks from the first leaf to the last.
Participants participants_along_tree(const Machine& machine, Rank rank) {
  Participants participants;
  participants.me = machine.leaf_of(rank);
  participants.ranks.reserve(machine.size());
  for (topology::Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    participants.ranks.push_back(machine.rank_at(leaf));
  }
  return participants;
}

/// Vectors know nothing of ranks, so it is enough to call everybody by another name.
Program renamed(const Machine& machine, const FlatAlgorithm& algorithm, Collective call, Rank rank,
                std::uint64_t segment) {
  call.root = machine.leaf_of(call.root);
  Program program = algorithm.build(call, machine.leaf_of(rank), segment);
  program.rank = rank;
  for (Op& op : program.ops) {
    if (op.kind == OpKind::Copy || op.kind == OpKind::Reduce) continue;
    expects(op.peer != kNoRank, "along_tree: a family of messages cannot be renamed");
    op.peer = machine.rank_at(op.peer);
  }
  return program;
}

/// Block p is that of the rank on leaf p, where a call's buffer has it.
BlockLayout blocks_along_tree(Buffer buffer, const Participants& participants,
                              std::uint64_t block) {
  std::vector<IndexSet> members;
  members.reserve(participants.ranks.size());
  for (const Rank rank : participants.ranks) members.push_back(IndexSet::single(rank));
  return BlockLayout::bundles(buffer, 0, block, members);
}

}  // namespace

bool along_tree_supports(const Machine& machine, const FlatAlgorithm& algorithm,
                         const Collective& call) {
  const auto leaves = machine.placement();
  if (std::is_sorted(leaves.begin(), leaves.end()) || !algorithm.applicable(call)) return false;
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Barrier:
      return true;
    case Operation::Reduce:
    case Operation::Allreduce:
      return call.commutative;
    case Operation::Allgather:
      return find_in(kAllgathers, algorithm.name) != nullptr;
    case Operation::ReduceScatter:
      return call.commutative && find_in(kReduceScatters, algorithm.name) != nullptr;
    default:
      return false;
  }
}

Program along_tree_program(const Machine& machine, const FlatAlgorithm& algorithm,
                           const Collective& call, Rank rank, std::uint64_t segment) {
  expects(call.size == machine.size(), "along_tree_program: call and machine differ in size");
  expects(along_tree_supports(machine, algorithm, call), "along_tree_program: not for this call");
  const bool gathers = call.operation == Operation::Allgather;
  if (!gathers && call.operation != Operation::ReduceScatter) {
    return renamed(machine, algorithm, call, rank, segment);
  }
  ProgramBuilder program(rank);
  const Participants participants = participants_along_tree(machine, rank);
  const std::uint64_t block = call.block();
  if (gathers) {
    copy_unless_empty(program, slice(Buffer::In, 0, block),
                      slice(Buffer::Out, rank * block, block));
    find_in(kAllgathers, algorithm.name)
        ->append(program, participants, blocks_along_tree(Buffer::Out, participants, block));
  } else {
    find_in(kReduceScatters, algorithm.name)
        ->append(program, participants, blocks_along_tree(Buffer::In, participants, block),
                 slice(Buffer::Out, 0, block));
  }
  return std::move(program).build();
}

}  // namespace espalier::collective
