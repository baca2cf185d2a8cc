#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace espalier::report {

/// {0, 1, 2, 8} -> "0-2,8"; {0, 8, 16, 24} -> "0-24 step 8". At most `max_pieces` pieces, then "…".
/// @pre ranks ascend
[[nodiscard]] std::string rank_ranges(const std::vector<Rank>& ranks, std::size_t max_pieces = 4);

}  // namespace espalier::report
