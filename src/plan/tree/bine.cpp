#include <algorithm>
#include <bit>
#include <cstdint>

#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

/// A place on the ring, counted from the root: negative to its left.
using Position = std::int64_t;

/// The digit 1 at `digit`, to the base -2.
constexpr Position power(int digit) {
  return digit % 2 == 0 ? Position{1} << digit : -(Position{1} << digit);
}
/// The greatest and least numbers of so many digits, and the one that is all ones.
constexpr Position greatest(int digits) { return ((Position{1} << (digits + digits % 2)) - 1) / 3; }
constexpr Position least(int digits) { return greatest(digits) + 1 - (Position{1} << digits); }
constexpr Position all_ones(int digits) { return (1 - power(digits)) / 3; }

class BineTree {
 public:
  explicit BineTree(const Participants& who)
      : who_(who), tree_(who.machine_size, who.root), count_(who.count()) {
    const int digits = static_cast<int>(std::bit_width(who.count() - 1U));
    first_ = -((-least(digits) * count_) >> digits);
    last_ = first_ + count_ - 1;
    grow(0, 0, digits);
  }
  [[nodiscard]] CommTree take() && { return std::move(tree_); }

 private:
  [[nodiscard]] Rank rank_at(Position place) const {
    return who_.at(static_cast<Rank>(place < 0 ? place + count_ : place));
  }

  /// The block: all numbers that end in `digits` free digits, `prefix` being those before them.
  void grow(Position holder, Position prefix, int digits) {
    while (digits > 0) {
      --digits;
      const Position zeros = prefix;  // the prefix of the half whose next digit is 0
      const Position ones = prefix + power(digits);
      const bool in_zeros = least(digits) <= holder - zeros && holder - zeros <= greatest(digits);
      const Position other = in_zeros ? ones : zeros;
      // The paper's partner repeats that next digit to the end.
      const Position partner = in_zeros ? ones + all_ones(digits) : zeros;
      if (other + least(digits) <= last_ && other + greatest(digits) >= first_) {
        const Position kept = std::clamp(partner, first_, last_);
        tree_.append_child(rank_at(holder), rank_at(kept));
        grow(kept, other, digits);
      }
      prefix = in_zeros ? zeros : ones;
    }
  }

  const Participants& who_;
  CommTree tree_;
  Position count_;
  Position first_ = 0;  ///< the kept places: [first_, last_]
  Position last_ = 0;
};

}  // namespace

// D. De Sensi, S. Pasqualoni, L. Piarulli, T. Bonato, S. Ba, M. Turisini, J. Domke, T. Hoefler:
// "Bine trees: enhancing collective operations by optimizing communication locality", SC 2025, the
// distance-halving Bine tree. Any P is ours.
CommTree bine(const Participants& who) { return BineTree(who).take(); }

}  // namespace espalier::tree
