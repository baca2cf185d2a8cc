#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "verify/rank_sets.hpp"

namespace espalier::verify {

using ExprId = std::uint32_t;
inline constexpr ExprId kUndefined = 0;  ///< nobody has written it
inline constexpr ExprId kWrong = 1;      ///< a wrong value, which was reported where it came to be

/// What a unit of a buffer can hold: a unit of a rank's input, or two such values combined, left
/// and right. Each different expression has one id, so that equal ids mean equal bits.
///
/// A value is an expression and a coordinate: the operands of a correct reduction all have the
/// same coordinate in their inputs, so an expression needs none.
class Expressions {
 public:
  explicit Expressions(Rank size);

  [[nodiscard]] ExprId input(Rank rank) const { return 2 + rank; }
  [[nodiscard]] bool is_input(ExprId expr) const { return expr >= 2 && expr < 2 + size_; }
  /// @pre is_input(expr)
  [[nodiscard]] Rank rank_of(ExprId expr) const { return expr - 2; }

  /// left (op) right. @pre both are inputs or combined, of disjoint ranks
  [[nodiscard]] ExprId combine(ExprId left, ExprId right);
  /// The ranks whose inputs the expression combines, each once.
  [[nodiscard]] const RankSet& ranks(ExprId expr) const { return nodes_[expr].ranks; }
  [[nodiscard]] const RankSets& sets() const { return sets_; }
  /// A hash that is equal for equal expressions of all stores, and only for them (but for a chance
  /// of 2^-64).
  [[nodiscard]] std::uint64_t hash(ExprId expr) const { return nodes_[expr].hash; }
  /// "((0.1).(2.3))"; "..." for what is deeper than `depth`.
  [[nodiscard]] std::string to_text(ExprId expr, int depth = 4) const;
  /// How many different expressions were combined.
  [[nodiscard]] std::uint64_t combined() const { return nodes_.size() - 2 - size_; }

 private:
  struct Node {
    ExprId left = kUndefined;
    ExprId right = kUndefined;
    RankSet ranks;
    std::uint64_t hash = 0;
  };
  struct Mixed {
    std::size_t operator()(std::uint64_t key) const {
      return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 16);
    }
  };

  Rank size_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, ExprId, Mixed> known_;  // left, right; only looked up
  RankSets sets_;
};

/// SplitMix64's step, for fingerprints: mixes a word into a state; order matters.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  std::uint64_t z = state * 0xd1342543de82ef95ULL + word + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace espalier::verify
