#include "verify/rank_sets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::verify {

std::uint64_t RankSets::word(const RankSet& set, Rank index) const {
  if (index < set.first / 64 || index > set.last / 64) return 0;
  if (!set.is_run()) return words_[set.bits + (index - set.first / 64)];
  std::uint64_t bits = ~std::uint64_t{0};
  if (index == set.first / 64) bits &= ~std::uint64_t{0} << (set.first % 64);
  if (index == set.last / 64) bits &= ~std::uint64_t{0} >> (63 - set.last % 64);
  return bits;
}

bool RankSets::contains(const RankSet& set, Rank rank) const {
  return (word(set, rank / 64) >> (rank % 64) & 1) != 0;
}

bool RankSets::disjoint(const RankSet& a, const RankSet& b) const {
  const Rank begin = std::max(a.first, b.first);
  const Rank end = std::min(a.last, b.last);
  if (begin > end) return true;
  for (Rank i = begin / 64; i <= end / 64; ++i) {
    if ((word(a, i) & word(b, i)) != 0) return false;
  }
  return true;
}

RankSet RankSets::join(const RankSet& a, const RankSet& b) {
  RankSet joined{std::min(a.first, b.first), std::max(a.last, b.last), a.count + b.count, 0};
  if (joined.is_run()) return joined;
  expects(words_.size() < ~std::uint32_t{0}, "RankSets: too many scattered sets");
  joined.bits = static_cast<std::uint32_t>(words_.size());
  for (Rank i = joined.first / 64; i <= joined.last / 64; ++i) {
    words_.push_back(word(a, i) | word(b, i));
  }
  return joined;
}

std::string RankSets::to_text(const RankSet& set, int runs) const {
  std::string text;
  for (Rank rank = set.first; rank <= set.last; ++rank) {
    if (!contains(set, rank)) continue;
    Rank end = rank;
    while (end < set.last && contains(set, end + 1)) ++end;
    if (!text.empty()) text += ", ";
    if (runs-- == 0) return text + "...";
    text += rank == end ? fmt::format("{}", rank) : fmt::format("{}-{}", rank, end);
    rank = end;
  }
  return text;
}

}  // namespace espalier::verify
