#include <algorithm>
#include <map>

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

using Slots = std::vector<std::uint32_t>;

class FixedOrderScan {
 public:
  FixedOrderScan(ProgramBuilder& program, const TreeLinks& links, const Region& own)
      : program_(program), links_(links), own_(own) {}

  void run(std::span<const std::vector<Rank>> ranks_of_child, Rank size, const Region& result,
           bool inclusive) {
    plan(ranks_of_child, size);
    base_ = program_.scratch(slots_ * own_.length);
    const std::uint64_t segment =
        links_.children.empty() ? links_.parent.segment : links_.children.front().segment;
    for (std::uint64_t s = 0; s < segment_count(own_, segment); ++s) {
      const Region part = segment_of(own_, segment, s);
      shift_ = part.offset - own_.offset;
      length_ = part.length;
      up();
      down();
      Region to = result;
      to.offset += shift_;
      to.length = length_;
      finish(to, inclusive);
    }
  }

 private:
  /// Every value has a slot of its own: pieces (the own one first), steps, what comes from above.
  void plan(std::span<const std::vector<Rank>> ranks_of_child, Rank size) {
    std::vector<Rank> below{program_.rank()};
    std::vector<RankRun> pieces{{program_.rank(), program_.rank()}};
    for (const std::vector<Rank>& ranks : ranks_of_child) {
      const std::vector<RankRun> blocks = blocks_within(ranks, size);
      first_of_child_.push_back(pieces.size());
      pieces.insert(pieces.end(), blocks.begin(), blocks.end());
      below.insert(below.end(), ranks.begin(), ranks.end());
    }
    first_of_child_.push_back(pieces.size());
    std::sort(below.begin(), below.end());
    plan_ = plan_blocks(pieces, size);
    for (const RankRun& piece : pieces) keep(piece);
    first_step_ = slots_;
    for (const CombineStep& step : plan_.steps) keep(step.block);
    first_from_above_ = slots_;
    if (links_.parent.peer != kNoRank) {
      for (const RankRun& block : blocks_from_outside(below)) keep(block);
    }
    for (const std::vector<Rank>& ranks : ranks_of_child) {
      for_child_.push_back(slots_of(blocks_from_outside(ranks)));
    }
    before_ = slots_of(blocks_before(program_.rank()));
    for (const std::size_t value : plan_.of_block) {
      for_parent_.push_back(static_cast<std::uint32_t>(value));
    }
  }
  void keep(const RankRun& block) {
    slot_of_[{block.first, block.last}] = static_cast<std::uint32_t>(slots_++);
  }
  [[nodiscard]] Slots slots_of(const std::vector<RankRun>& blocks) const {
    Slots slots;
    for (const RankRun& block : blocks) {
      const auto it = slot_of_.find({block.first, block.last});
      expects(it != slot_of_.end(), "fixed_order_scan: a block is needed that is not here");
      slots.push_back(it->second);
    }
    return slots;
  }

  [[nodiscard]] Region at(std::size_t slot) const {
    return slice(Buffer::Scratch, base_ + slot * own_.length + shift_, length_);
  }
  Region together(const IndexSet& slots) {
    Region region = at(0);
    region.outer = Axis{program_.set(slots), own_.length};
    return region;
  }

  void up() {
    program_.copy(slice(own_.buffer, own_.offset + shift_, length_), at(0));
    for (std::size_t c = links_.children.size(); c-- > 0;) {
      const std::size_t first = first_of_child_[c];
      program_.recv(links_.children[c].peer,
                    together(IndexSet::range(first, first_of_child_[c + 1] - first)));
    }
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      program_.copy(at(plan_.steps[s].left), at(first_step_ + s));
      program_.reduce(at(plan_.steps[s].right), at(first_step_ + s), Operands::ToThenFrom);
    }
    if (links_.parent.peer != kNoRank) {
      program_.send(links_.parent.peer,
                    together(IndexSet{std::span<const std::uint32_t>(for_parent_)}));
    }
  }

  void down() {
    if (links_.parent.peer != kNoRank && slots_ > first_from_above_) {
      program_.recv(links_.parent.peer,
                    together(IndexSet::range(first_from_above_, slots_ - first_from_above_)));
    }
    for (std::size_t c = 0; c < links_.children.size(); ++c) {
      if (for_child_[c].empty()) continue;
      program_.send(links_.children[c].peer,
                    together(IndexSet{std::span<const std::uint32_t>(for_child_[c])}));
    }
  }

  void finish(const Region& to, bool inclusive) {
    if (!inclusive && before_.empty()) return;
    program_.copy(at(inclusive ? 0 : before_.front()), to);
    for (std::size_t b = inclusive ? 0 : 1; b < before_.size(); ++b) {
      program_.reduce(at(before_[b]), to, Operands::FromThenTo);
    }
  }

  ProgramBuilder& program_;
  const TreeLinks& links_;
  Region own_;
  BlockPlan plan_;
  std::map<std::pair<Rank, Rank>, std::uint32_t> slot_of_;  // of each block at hand
  std::vector<std::size_t> first_of_child_;
  std::vector<Slots> for_child_;
  Slots for_parent_;
  Slots before_;  // of the own result
  std::size_t slots_ = 0;
  std::size_t first_step_ = 0;
  std::size_t first_from_above_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t shift_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

void fixed_order_scan(ProgramBuilder& program, const TreeLinks& links,
                      std::span<const std::vector<Rank>> ranks_of_child, Rank size,
                      const Region& own, const Region& result, bool inclusive) {
  expects(ranks_of_child.size() == links.children.size(),
          "fixed_order_scan: not the ranks of each child");
  FixedOrderScan(program, links, own).run(ranks_of_child, size, result, inclusive);
}

}  // namespace espalier::collective
