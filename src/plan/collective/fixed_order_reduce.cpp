#include "base/contract.hpp"
#include "collective/fixed_order.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

constexpr std::size_t kOwn = 0;  // the first piece, which lies in the user's buffer

class FixedOrderReduce {
 public:
  FixedOrderReduce(ProgramBuilder& program, const TreeLinks& links, const Region& own)
      : program_(program), links_(links), own_(own) {}

  void run(std::span<const std::vector<Rank>> ranks_of_child, Rank size, const Region& result) {
    std::vector<RankRun> pieces{{program_.rank(), program_.rank()}};
    for (const std::vector<Rank>& ranks : ranks_of_child) {
      const std::vector<RankRun> blocks = blocks_within(ranks, size);
      first_of_child_.push_back(pieces.size());
      pieces.insert(pieces.end(), blocks.begin(), blocks.end());
    }
    first_of_child_.push_back(pieces.size());
    plan_ = plan_blocks(pieces, size);
    place_values(pieces.size());
    base_ = program_.scratch(pieces.size() * own_.length);
    const std::uint64_t segment =
        links_.children.empty() ? links_.parent.segment : links_.children.front().segment;
    for (std::uint64_t s = 0; s < segment_count(own_, segment); ++s) {
      const Region part = segment_of(own_, segment, s);
      shift_ = part.offset - own_.offset;
      length_ = part.length;
      pass(result);
    }
  }

 private:
  /// Piece p lies in slot p but for the own one, whose slot is used if it is sent beside others. A
  /// step leaves its value where its left one was, or, if that is the user's, where its right was.
  void place_values(std::size_t pieces) {
    for (std::size_t p = 0; p < pieces; ++p) slot_.push_back(p);
    for (const CombineStep& step : plan_.steps) {
      slot_.push_back(slot_[step.left] == kOwn ? slot_[step.right] : slot_[step.left]);
    }
  }

  [[nodiscard]] Region in_scratch(std::size_t slot) const {
    return slice(Buffer::Scratch, base_ + slot * own_.length + shift_, length_);
  }
  [[nodiscard]] Region at(std::size_t slot) const {
    return slot == kOwn ? slice(own_.buffer, own_.offset + shift_, length_) : in_scratch(slot);
  }
  Region together(const IndexSet& slots) {
    Region region = in_scratch(0);
    region.outer = Axis{program_.set(slots), own_.length};
    return region;
  }

  void pass(const Region& result) {
    for (std::size_t c = links_.children.size(); c-- > 0;) {
      const std::size_t first = first_of_child_[c];
      program_.recv(links_.children[c].peer,
                    together(IndexSet::range(first, first_of_child_[c + 1] - first)));
    }
    for (const CombineStep& step : plan_.steps) {
      const std::size_t left = slot_[step.left], right = slot_[step.right];
      if (left == kOwn) {
        program_.reduce(at(left), at(right), Operands::FromThenTo);
      } else {
        program_.reduce(at(right), at(left), Operands::ToThenFrom);
      }
    }
    if (links_.parent.peer != kNoRank) {
      program_.send(links_.parent.peer, outgoing());
      return;
    }
    expects(plan_.blocks.size() == 1, "fixed_order_reduce: the root does not hear of all ranks");
    Region to = result;
    to.offset += shift_;
    to.length = length_;
    program_.copy(at(slot_[plan_.of_block.front()]), to);
  }

  Region outgoing() {
    if (plan_.blocks.size() == 1) return at(slot_[plan_.of_block.front()]);
    std::vector<std::uint32_t> slots;
    for (const std::size_t value : plan_.of_block) {
      slots.push_back(static_cast<std::uint32_t>(slot_[value]));
      if (slot_[value] == kOwn) program_.copy(at(kOwn), in_scratch(kOwn));
    }
    return together(IndexSet{std::span<const std::uint32_t>(slots)});
  }

  ProgramBuilder& program_;
  const TreeLinks& links_;
  Region own_;
  std::vector<std::size_t> first_of_child_;
  BlockPlan plan_;
  std::vector<std::size_t> slot_;  // of each value of the plan
  std::uint64_t base_ = 0;
  std::uint64_t shift_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

void fixed_order_reduce(ProgramBuilder& program, const TreeLinks& links,
                        std::span<const std::vector<Rank>> ranks_of_child, Rank size,
                        const Region& own, const Region& result) {
  expects(ranks_of_child.size() == links.children.size(),
          "fixed_order_reduce: not the ranks of each child");
  FixedOrderReduce(program, links, own).run(ranks_of_child, size, result);
}

}  // namespace espalier::collective
