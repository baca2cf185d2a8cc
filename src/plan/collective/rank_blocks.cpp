#include "collective/rank_blocks.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "base/contract.hpp"

namespace espalier::collective {
namespace {

using Width = std::uint64_t;  // 2^k

/// Ranks of a block that there are.
Width ranks_in(Rank first, Width width, Rank size) {
  return first >= size ? 0 : std::min<Width>(width, size - first);
}

void find_within(std::span<const Rank> ranks, Rank first, Width width, Rank size,
                 std::vector<RankRun>& found) {
  if (ranks.empty()) return;
  const Width whole = ranks_in(first, width, size);
  if (ranks.size() == whole) {
    found.push_back({first, static_cast<Rank>(first + whole - 1)});
    return;
  }
  const auto middle = static_cast<Rank>(first + width / 2);
  const auto right = std::lower_bound(ranks.begin(), ranks.end(), middle);
  const auto count = static_cast<std::size_t>(right - ranks.begin());
  find_within(ranks.first(count), first, width / 2, size, found);
  find_within(ranks.subspan(count), middle, width / 2, size, found);
}

class BlockBuilder {
 public:
  BlockBuilder(std::span<const RankRun> pieces, Rank size) : size_(size) {
    for (std::size_t p = 0; p < pieces.size(); ++p) pieces_.push_back({pieces[p], p});
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.run.first < b.run.first; });
  }

  BlockPlan plan() && {
    descend(pieces_, 0, std::bit_ceil(Width{size_}));
    return std::move(plan_);
  }

 private:
  struct Piece {
    RankRun run;
    std::size_t value;
  };

  static Width ranks_of(std::span<const Piece> pieces) {
    Width count = 0;
    for (const Piece& piece : pieces) count += piece.run.last - piece.run.first + 1;
    return count;
  }
  static std::size_t before(std::span<const Piece> pieces, Rank middle) {
    return static_cast<std::size_t>(
        std::partition_point(pieces.begin(), pieces.end(),
                             [&](const Piece& piece) { return piece.run.first < middle; }) -
        pieces.begin());
  }

  /// To the greatest blocks that are whole.
  void descend(std::span<const Piece> pieces, Rank first, Width width) {
    if (pieces.empty()) return;
    const Width whole = ranks_in(first, width, size_);
    if (ranks_of(pieces) == whole) {
      plan_.blocks.push_back({first, static_cast<Rank>(first + whole - 1)});
      plan_.of_block.push_back(combine(pieces, first, width));
      return;
    }
    expects(width > 1, "plan_blocks: pieces are no blocks");
    const auto middle = static_cast<Rank>(first + width / 2);
    const std::size_t left = before(pieces, middle);
    descend(pieces.first(left), first, width / 2);
    descend(pieces.subspan(left), middle, width / 2);
  }

  std::size_t combine(std::span<const Piece> pieces, Rank first, Width width) {
    if (pieces.size() == 1) return pieces.front().value;
    expects(width > 1, "plan_blocks: pieces are no blocks");
    const auto middle = static_cast<Rank>(first + width / 2);
    const std::size_t half = before(pieces, middle);
    if (half == pieces.size()) return combine(pieces, first, width / 2);
    const std::size_t left = combine(pieces.first(half), first, width / 2);
    const std::size_t right = combine(pieces.subspan(half), middle, width / 2);
    plan_.steps.push_back({left, right, {pieces.front().run.first, pieces.back().run.last}});
    return pieces_.size() + plan_.steps.size() - 1;
  }

  Rank size_;
  std::vector<Piece> pieces_;
  BlockPlan plan_;
};

}  // namespace

std::vector<RankRun> blocks_within(std::span<const Rank> ranks, Rank size) {
  std::vector<RankRun> found;
  find_within(ranks, 0, std::bit_ceil(Width{size}), size, found);
  return found;
}

std::vector<RankRun> blocks_before(Rank rank) {
  std::vector<RankRun> found;
  for (Rank width = 1; width != 0 && width <= rank; width <<= 1U) {
    if ((rank & width) == 0) continue;
    const Rank middle = rank & ~(width - 1);  // where the right neighbour begins
    found.push_back({middle - width, middle - 1});
  }
  return found;
}

std::vector<RankRun> blocks_from_outside(std::span<const Rank> ranks) {
  std::set<std::pair<Rank, Rank>> needed;
  for (const Rank rank : ranks) {
    for (const RankRun& block : blocks_before(rank)) needed.insert({block.first, block.last});
  }
  std::vector<RankRun> found;
  for (const auto& [first, last] : needed) {
    const auto begin = std::lower_bound(ranks.begin(), ranks.end(), first);
    const auto end = std::upper_bound(begin, ranks.end(), last);
    if (end - begin != static_cast<std::ptrdiff_t>(last - first) + 1)
      found.push_back({first, last});
  }
  return found;
}

BlockPlan plan_blocks(std::span<const RankRun> pieces, Rank size) {
  return BlockBuilder(pieces, size).plan();
}

}  // namespace espalier::collective
