#pragma once

#include <optional>

#include "base/types.hpp"

namespace espalier::group {

/// K. E. Batcher's merge exchange sort for any number of items: D. E. Knuth, "The Art of Computer
/// Programming", volume 3, section 5.2.2, Algorithm M. A sorting network of O(log^2 size) rounds;
/// in each an item has one partner at most.
/// @return how many rounds there are
[[nodiscard]] std::uint32_t merge_exchange_rounds(Rank size);

/// Whom a position is compared with; the lower position keeps the smaller item.
/// @pre position < size, round < merge_exchange_rounds(size)
[[nodiscard]] std::optional<Rank> merge_exchange_partner(Rank position, Rank size,
                                                         std::uint32_t round);

}  // namespace espalier::group
