#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace espalier::test_schedules {

/// Values of a free algebra: an input unit, garbage, or two values combined, with nothing assumed
/// of the operation. Flattened, it is the free monoid (associative); sorted then, the commutative
/// one. Equal terms have equal ids.
class Terms {
 public:
  using Term = std::int32_t;
  using Leaf = std::pair<std::uint32_t, std::uint64_t>;  // rank, unit of its input
  static constexpr Term kGarbage = 0;

  Term leaf(std::uint32_t rank, std::uint64_t unit) {
    const auto [it, is_new] = leaves_.try_emplace({rank, unit}, next_);
    if (is_new) {
      flat_.push_back({{rank, unit}});
      ++next_;
    }
    return it->second;
  }

  Term combine(Term left, Term right) {
    if (left == kGarbage || right == kGarbage) return kGarbage;
    const auto [it, is_new] = pairs_.try_emplace({left, right}, next_);
    if (is_new) {
      std::vector<Leaf> both = flat_[static_cast<std::size_t>(left)];
      const auto& other = flat_[static_cast<std::size_t>(right)];
      // Doubled again and again a term would grow without bound; cut, it is still wrong.
      if (both.size() < kLongest) both.insert(both.end(), other.begin(), other.end());
      flat_.push_back(std::move(both));
      ++next_;
    }
    return it->second;
  }

  /// The operands from left to right. Empty: garbage.
  [[nodiscard]] std::vector<Leaf> operands(Term term, bool sorted) const {
    std::vector<Leaf> found = flat_[static_cast<std::size_t>(term)];
    if (sorted) std::sort(found.begin(), found.end());
    return found;
  }

 private:
  static constexpr std::size_t kLongest = 1000;
  std::map<Leaf, Term> leaves_;
  std::map<std::pair<Term, Term>, Term> pairs_;
  std::vector<std::vector<Leaf>> flat_{{}};
  Term next_ = 1;
};

}  // namespace espalier::test_schedules
