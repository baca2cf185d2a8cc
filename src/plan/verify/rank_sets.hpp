#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace espalier::verify {

/// A set of ranks that lives in a RankSets. Never empty.
struct RankSet {
  Rank first = 0;
  Rank last = 0;
  Rank count = 1;
  std::uint32_t bits = 0;  ///< index of its first bit word; only if it is no run

  /// first, first + 1, ..., last
  [[nodiscard]] bool is_run() const { return count == last - first + 1; }
};

/// The sets of ranks that partial reductions stand for. A run of ranks, as trees over neighbours
/// make them, takes no memory of its own; any other set a bit for each rank between its ends.
class RankSets {
 public:
  [[nodiscard]] static RankSet single(Rank rank) { return {rank, rank, 1, 0}; }
  [[nodiscard]] bool disjoint(const RankSet& a, const RankSet& b) const;
  /// @pre disjoint(a, b)
  [[nodiscard]] RankSet join(const RankSet& a, const RankSet& b);
  [[nodiscard]] bool contains(const RankSet& set, Rank rank) const;
  /// "0-3, 7": at most `runs` runs, then "...".
  [[nodiscard]] std::string to_text(const RankSet& set, int runs = 6) const;

 private:
  /// Ranks 64 * index .. 64 * index + 63 of a set.
  [[nodiscard]] std::uint64_t word(const RankSet& set, Rank index) const;

  std::vector<std::uint64_t> words_;
};

}  // namespace espalier::verify
