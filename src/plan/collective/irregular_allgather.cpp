#include "collective/irregular_allgather.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::IndexSet;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

Region blocks_at(ProgramBuilder& program, const std::vector<Rank>& blocks) {
  Region region = slice(Buffer::Out, 0, 1);
  region.inner = {program.set(IndexSet(blocks)), 1};
  return region;
}

}  // namespace

IrregularAllgather::IrregularAllgather(const tree::CommTree& tree, schedule::Collective call,
                                       Bytes long_from)
    : call_(std::move(call)),
      tree_(tree),
      order_(tree.preorder()),
      begin_(tree.size(), 0),
      end_(tree.size(), 0) {
  expects(call_.operation == schedule::Operation::Allgather && call_.irregular(),
          "IrregularAllgather: no allgatherv");
  expects(tree.size() == call_.size && tree.member_count() == call_.size,
          "IrregularAllgather: the tree does not span the ranks");
  for (std::uint32_t at = 0; at < order_.size(); ++at) {
    begin_[order_[at]] = at;
    end_[order_[at]] = at + 1;
  }
  for (auto r = order_.rbegin(); r != order_.rend(); ++r) {
    if (*r != tree.root()) end_[tree.parent(*r)] = std::max(end_[tree.parent(*r)], end_[*r]);
  }
  for (Rank r = 0; r < call_.size; ++r) {
    const std::uint64_t bytes = call_.counts[r] * call_.element.value;
    if (bytes > 0 && bytes >= long_from.value) long_.push_back(r);
  }
  std::stable_sort(long_.begin(), long_.end(),
                   [&](Rank a, Rank b) { return call_.counts[a] > call_.counts[b]; });
}

bool IrregularAllgather::is_short(Rank rank) const {
  return call_.counts[rank] > 0 && std::find(long_.begin(), long_.end(), rank) == long_.end();
}

std::vector<Rank> IrregularAllgather::short_below(Rank rank) const {
  std::vector<Rank> found;
  for (std::uint32_t at = begin_[rank]; at < end_[rank]; ++at) {
    if (is_short(order_[at])) found.push_back(order_[at]);
  }
  return found;
}

std::vector<Rank> IrregularAllgather::short_elsewhere(Rank rank) const {
  std::vector<Rank> found;
  for (const Rank other : order_) {
    if (is_short(other) && !is_below(other, rank)) found.push_back(other);
  }
  return found;
}

void IrregularAllgather::pass_long(ProgramBuilder& program, std::uint32_t tag, Rank owner) const {
  const Rank me = program.rank();
  const Region block = slice(Buffer::Out, owner, 1);
  Rank from = kNoRank;
  if (me != owner) {
    from = tree_.parent(me);
    for (Rank c = tree_.first_child(me); c != kNoRank; c = tree_.next_sibling(c)) {
      if (is_below(owner, c)) from = c;
    }
    program.recv(from, block, tag);
  }
  if (me != tree_.root() && from != tree_.parent(me)) program.send(tree_.parent(me), block, tag);
  for (Rank c = tree_.first_child(me); c != kNoRank; c = tree_.next_sibling(c)) {
    if (c != from) program.send(c, block, tag);
  }
}

Program IrregularAllgather::program_of(Rank rank) const {
  constexpr std::uint32_t kShortTag = 0;
  ProgramBuilder program(rank);
  if (call_.counts[rank] > 0) program.copy(slice(Buffer::In, 0, 1), slice(Buffer::Out, rank, 1));
  for (std::uint32_t i = 0; i < long_.size(); ++i) pass_long(program, kShortTag + 1 + i, long_[i]);
  const auto each_child = [&](auto visit) {
    for (Rank c = tree_.first_child(rank); c != kNoRank; c = tree_.next_sibling(c)) visit(c);
  };
  const bool is_root = rank == tree_.root();
  each_child([&](Rank child) {
    const std::vector<Rank> up = short_below(child);
    if (!up.empty()) program.recv(child, blocks_at(program, up), kShortTag);
  });
  if (!is_root) {
    const std::vector<Rank> up = short_below(rank), down = short_elsewhere(rank);
    if (!up.empty()) program.send(tree_.parent(rank), blocks_at(program, up), kShortTag);
    if (!down.empty()) program.recv(tree_.parent(rank), blocks_at(program, down), kShortTag);
  }
  each_child([&](Rank child) {
    const std::vector<Rank> down = short_elsewhere(child);
    if (!down.empty()) program.send(child, blocks_at(program, down), kShortTag);
  });
  return std::move(program).build();
}

}  // namespace espalier::collective
