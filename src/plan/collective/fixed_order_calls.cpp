#include <algorithm>

#include "base/contract.hpp"
#include "collective/fixed_order.hpp"
#include "collective/tree_gather.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The finest of all levels; where a unit is a block, blocks are not cut.
std::uint64_t segment_for(const MultilevelChoice& choice, const Collective& call) {
  std::uint64_t least = 0;
  for (const LevelChoice& level : choice.levels) {
    if (level.segment != 0 && (least == 0 || level.segment < least)) least = level.segment;
  }
  return call.irregular() ? 0 : least;
}

class FixedOrderCall {
 public:
  FixedOrderCall(const Hierarchy& hierarchy, const MultilevelChoice& choice, const Collective& call,
                 Rank rank)
      : call_(call),
        rank_(rank),
        root_(call.operation == Operation::Reduce ? call.root : 0),
        in_(slice(Buffer::In, 0, units_in(call, rank))),
        out_(slice(Buffer::Out, 0, units_out(call, rank))),
        links_(multilevel_links(hierarchy, choice.levels, root_, rank)),
        program_(rank) {
    const std::uint64_t segment = segment_for(choice, call);
    links_.parent.segment = segment;
    for (TreeEdge& child : links_.children) {
      child.segment = segment;
      bundles_.push_back(multilevel_subtree(hierarchy, choice.levels, root_, child.peer));
      sorted_.push_back(bundles_.back());
      std::sort(sorted_.back().begin(), sorted_.back().end());
    }
  }

  Program build() && {
    switch (call_.operation) {
      case Operation::Reduce:
        reduce(rank_ == root_ ? out_ : Region{});
        break;
      case Operation::Allreduce:
        reduce(rank_ == root_ ? out_ : Region{});
        tree_broadcast(program_, links_, out_);
        break;
      case Operation::ReduceScatter:
        reduce_scatter();
        break;
      case Operation::Scan:
      case Operation::Exscan:
        fixed_order_scan(program_, links_, sorted_, call_.size, in_, out_,
                         call_.operation == Operation::Scan);
        break;
      default:
        expects(false, "fixed_order_program: not a reduction");
    }
    return std::move(program_).build();
  }

 private:
  void reduce(const Region& result) {
    fixed_order_reduce(program_, links_, sorted_, call_.size, in_, result);
  }

  void reduce_scatter() {
    const std::uint64_t block = call_.block();
    if (rank_ != root_) {
      reduce({});
      scatter_down(program_, links_, bundles_, out_);
      return;
    }
    const std::uint64_t all = program_.scratch(in_.length);
    reduce(slice(Buffer::Scratch, all, in_.length));
    for (std::size_t c = 0; c < links_.children.size(); ++c) {
      Region blocks = slice(Buffer::Scratch, all, block);
      blocks.inner = Axis{program_.set(IndexSet{bundles_[c]}), block};
      program_.send(links_.children[c].peer, blocks);
    }
    program_.copy(slice(Buffer::Scratch, all + rank_ * block, block), out_);
  }

  const Collective& call_;
  Rank rank_;
  Rank root_;
  Region in_;
  Region out_;
  TreeLinks links_;
  std::vector<std::vector<Rank>> bundles_;  // of each child, as scatters pack them
  std::vector<std::vector<Rank>> sorted_;
  ProgramBuilder program_;
};

}  // namespace

Program fixed_order_program(const Hierarchy& hierarchy, const MultilevelChoice& choice,
                            const Collective& call, Rank rank) {
  expects(choice.levels.size() == hierarchy.machine().levels().size(),
          "fixed_order_program: not one choice for each level");
  expects(call.size == hierarchy.machine().size(),
          "fixed_order_program: call and machine differ in size");
  return FixedOrderCall(hierarchy, choice, call, rank).build();
}

}  // namespace espalier::collective
