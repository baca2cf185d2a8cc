#include "collective/ordered_reduce.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

std::vector<RankRun> runs_of(std::vector<Rank> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::vector<RankRun> runs;
  for (const Rank rank : ranks) {
    if (!runs.empty() && runs.back().last + 1 == rank) {
      runs.back().last = rank;
    } else {
      runs.push_back({rank, rank});
    }
  }
  return runs;
}

namespace {

constexpr std::uint64_t kOwnBuffer = ~std::uint64_t{0};  // a piece that lies in the user's buffer

/// A partial result at hand, and the slot of the scratch where it lies.
struct OrderedPiece {
  RankRun run;
  std::uint64_t slot = kOwnBuffer;
};

/// Pieces that follow each other, to be combined into the slot of one of them.
struct Group {
  std::vector<OrderedPiece> pieces;
  std::uint64_t slot = kOwnBuffer;  // where the result ends up
};

std::vector<Group> groups_of(std::vector<OrderedPiece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const OrderedPiece& a, const OrderedPiece& b) { return a.run.first < b.run.first; });
  std::vector<Group> groups;
  for (const OrderedPiece& piece : pieces) {
    if (groups.empty() || groups.back().pieces.back().run.last + 1 != piece.run.first) {
      groups.emplace_back();
    }
    groups.back().pieces.push_back(piece);
  }
  return groups;
}

class OrderedReduce {
 public:
  OrderedReduce(ProgramBuilder& program, const TreeLinks& links, const Region& own)
      : program_(program), links_(links), own_(own) {}

  void run(std::span<const std::vector<RankRun>> runs_of_child, const Region* result) {
    plan_slots(runs_of_child);
    const std::uint64_t segment =
        links_.children.empty() ? links_.parent.segment : links_.children.front().segment;
    base_ = program_.scratch(slots_ * own_.length);
    for (std::uint64_t s = 0; s < segment_count(own_, segment); ++s) {
      const Region part = segment_of(own_, segment, s);
      shift_ = part.offset - own_.offset;
      length_ = part.length;
      receive();
      for (const Group& group : groups_) combine(group);
      if (links_.parent.peer != kNoRank) {
        program_.send(links_.parent.peer, outgoing());
      } else if (result != nullptr) {
        Region to = *result;
        to.offset += shift_;
        to.length = length_;
        program_.copy(at(groups_.front().slot), to);
      }
    }
  }

  /// What is left at the root, after run().
  [[nodiscard]] RunSlots remaining() const {
    if (groups_.front().slot == kOwnBuffer)
      return {own_.buffer, own_.offset, 0, IndexSet::single(0)};
    return {Buffer::Scratch, base_, own_.length, slots_of_groups()};
  }

 private:
  /// Each received piece has a slot; the own one gets one if it is sent on beside others.
  void plan_slots(std::span<const std::vector<RankRun>> runs_of_child) {
    std::vector<OrderedPiece> pieces{{{program_.rank(), program_.rank()}, kOwnBuffer}};
    for (const std::vector<RankRun>& runs : runs_of_child) {
      slots_of_child_.push_back({slots_, runs.size()});
      for (const RankRun& run : runs) pieces.push_back({run, slots_++});
    }
    groups_ = groups_of(std::move(pieces));
    for (Group& group : groups_) {
      for (const OrderedPiece& piece : group.pieces) {
        if (piece.slot != kOwnBuffer && group.slot == kOwnBuffer) group.slot = piece.slot;
      }
      if (group.slot == kOwnBuffer && groups_.size() > 1) group.slot = slots_++;
    }
  }

  [[nodiscard]] Region at(std::uint64_t slot) const {
    if (slot == kOwnBuffer) return slice(own_.buffer, own_.offset + shift_, length_);
    return slice(Buffer::Scratch, base_ + slot * own_.length + shift_, length_);
  }
  /// The same segment of several slots: one message.
  Region slots_region(const IndexSet& slots) {
    Region region = slice(Buffer::Scratch, base_ + shift_, length_);
    region.outer = Axis{program_.set(slots), own_.length};
    return region;
  }

  void receive() {
    for (std::size_t c = links_.children.size(); c-- > 0;) {
      const auto& [first, count] = slots_of_child_[c];
      program_.recv(links_.children[c].peer, slots_region(IndexSet::range(first, count)));
    }
  }

  /// Joins the pieces from the left into the group's slot, which is that of the first received one:
  /// what stands before it can only be the own contribution.
  void combine(const Group& group) {
    std::size_t next = 1;
    if (group.pieces.front().slot == kOwnBuffer) {
      if (group.pieces.size() == 1) {
        if (group.slot != kOwnBuffer) program_.copy(at(kOwnBuffer), at(group.slot));
        return;
      }
      program_.reduce(at(kOwnBuffer), at(group.slot), Operands::FromThenTo);
      next = 2;
    }
    for (; next < group.pieces.size(); ++next) {
      program_.reduce(at(group.pieces[next].slot), at(group.slot), Operands::ToThenFrom);
    }
  }

  Region outgoing() {
    if (groups_.size() == 1) return at(groups_.front().slot);
    return slots_region(slots_of_groups());
  }
  [[nodiscard]] IndexSet slots_of_groups() const {
    std::vector<std::uint32_t> slots;
    for (const Group& group : groups_) slots.push_back(static_cast<std::uint32_t>(group.slot));
    return IndexSet{std::span<const std::uint32_t>(slots)};
  }

  ProgramBuilder& program_;
  const TreeLinks& links_;
  Region own_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> slots_of_child_;  // first, count
  std::vector<Group> groups_;
  std::uint64_t slots_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t shift_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

void ordered_reduce(ProgramBuilder& program, const TreeLinks& links,
                    std::span<const std::vector<RankRun>> runs_of_child, const Region& own,
                    const Region& result) {
  expects(runs_of_child.size() == links.children.size(),
          "ordered_reduce: not the runs of each child");
  OrderedReduce(program, links, own).run(runs_of_child, &result);
}

RunSlots ordered_reduce_to_runs(ProgramBuilder& program, const TreeLinks& links,
                                std::span<const std::vector<RankRun>> runs_of_child,
                                const Region& own) {
  expects(runs_of_child.size() == links.children.size(),
          "ordered_reduce_to_runs: not the runs of each child");
  OrderedReduce reduction(program, links, own);
  reduction.run(runs_of_child, nullptr);
  return links.parent.peer == kNoRank ? reduction.remaining() : RunSlots{};
}

}  // namespace espalier::collective
