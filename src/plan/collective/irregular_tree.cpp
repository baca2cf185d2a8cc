#include "collective/irregular_tree.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

IrregularTree::IrregularTree(const tree::CommTree& tree, schedule::Collective call, Sending sending,
                             Bytes piece)
    : call_(std::move(call)),
      sending_(sending),
      piece_(piece),
      tree_(tree),
      begin_(tree.size(), 0),
      end_(tree.size(), 0) {
  expects(call_.irregular() && call_.counts.size() == call_.size, "IrregularTree: no v form");
  expects(call_.operation == Operation::Scatter || call_.operation == Operation::Gather,
          "IrregularTree: neither scatter nor gather");
  expects(tree.size() == call_.size && tree.root() == call_.root,
          "IrregularTree: tree and call differ");
  expects(piece.value == 0 || sending == Sending::AtOnce, "IrregularTree: pieces one by one");
  const std::vector<Rank> preorder = tree.preorder();
  for (const Rank r : preorder) {
    begin_[r] = static_cast<std::uint32_t>(order_.size());
    if (call_.counts[r] > 0) order_.push_back(r);
    end_[r] = static_cast<std::uint32_t>(order_.size());
  }
  for (auto r = preorder.rbegin(); r != preorder.rend(); ++r) {
    if (*r == tree.root()) continue;
    end_[tree.parent(*r)] = std::max(end_[tree.parent(*r)], end_[*r]);
  }
  const auto with_blocks =
      std::count_if(call_.counts.begin(), call_.counts.end(), [](auto n) { return n > 0; });
  expects(order_.size() == static_cast<std::size_t>(with_blocks),
          "IrregularTree: a rank with a block is not in the tree");
}

IrregularTree::Ranks IrregularTree::bundle_of(Rank rank) const {
  return std::span(order_).subspan(begin_[rank], end_[rank] - begin_[rank]);
}

std::vector<IrregularTree::Ranks> IrregularTree::pieces_of(Rank rank) const {
  const Ranks bundle = bundle_of(rank);
  if (piece_.value == 0) return {bundle};
  std::vector<Ranks> pieces;
  std::size_t begin = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < bundle.size(); ++i) {
    const std::uint64_t here = call_.counts[bundle[i]] * call_.element.value;
    if (i > begin && bytes + here > piece_.value) {
      pieces.push_back(bundle.subspan(begin, i - begin));
      begin = i;
      bytes = 0;
    }
    bytes += here;
  }
  pieces.push_back(bundle.subspan(begin));
  return pieces;
}

std::vector<Rank> IrregularTree::children_of(Rank rank) const {
  std::vector<Rank> children = tree_.children(rank);
  std::erase_if(children, [&](Rank c) { return bundle_of(c).empty(); });
  if (call_.operation == Operation::Gather) std::reverse(children.begin(), children.end());
  return children;
}

/// The root's are by rank in the user's buffer, others' packed in scratch; a rank without children
/// has one, its own.
Region IrregularTree::place_of(ProgramBuilder& program, Ranks blocks) const {
  const Rank me = program.rank();
  const bool scatters = call_.operation == Operation::Scatter;
  if (me == call_.root) {
    Region region = slice(scatters ? Buffer::In : Buffer::Out, 0, 1);
    region.inner = Axis{program.set(IndexSet{blocks}), 1};
    return region;
  }
  const Ranks held = bundle_of(me);
  if (held.size() == 1 && held.front() == me) {
    return slice(scatters ? Buffer::Out : Buffer::In, 0, 1);
  }
  return slice(Buffer::Scratch, static_cast<std::uint64_t>(blocks.data() - held.data()),
               blocks.size());
}

void IrregularTree::scatter(ProgramBuilder& program) const {
  const Rank me = program.rank();
  if (me != call_.root) {
    for (const Ranks piece : pieces_of(me)) {
      program.recv(tree_.parent(me), place_of(program, piece));
    }
  }
  const Region own = call_.counts[me] > 0 ? place_of(program, bundle_of(me).first(1)) : Region{};
  if (call_.counts[me] > 0 && own.buffer != Buffer::Out) {
    program.copy(own, slice(Buffer::Out, 0, 1));
  }
  for (const Rank child : children_of(me)) {
    if (sending_ == Sending::OneByOne) program.fence();
    for (const Ranks piece : pieces_of(child)) program.send(child, place_of(program, piece));
  }
}

void IrregularTree::gather(ProgramBuilder& program) const {
  const Rank me = program.rank();
  const Region own = call_.counts[me] > 0 ? place_of(program, bundle_of(me).first(1)) : Region{};
  if (call_.counts[me] > 0 && own.buffer != Buffer::In) {
    program.copy(slice(Buffer::In, 0, 1), own);
  }
  for (const Rank child : children_of(me)) {
    if (sending_ == Sending::OneByOne) program.fence();
    for (const Ranks piece : pieces_of(child)) program.recv(child, place_of(program, piece));
  }
  if (me == call_.root) return;
  for (const Ranks piece : pieces_of(me)) program.send(tree_.parent(me), place_of(program, piece));
}

Program IrregularTree::program_of(Rank rank) const {
  ProgramBuilder program(rank);
  const Ranks held = bundle_of(rank);
  if (!held.empty() && tree_.contains(rank)) {
    if (rank != call_.root && !(held.size() == 1 && held.front() == rank)) {
      program.scratch(held.size());
    }
    if (call_.operation == Operation::Scatter) {
      scatter(program);
    } else {
      gather(program);
    }
  }
  return std::move(program).build();
}

}  // namespace espalier::collective
