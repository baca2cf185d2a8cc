#pragma once

#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"

namespace espalier::cli {

/// When each rank enters the call. "5ms@3": rank 3 is late by 5 ms; "5ms@3,200us@8-11": several;
/// "random:2ms:7": each rank by up to 2 ms, evenly spread, from seed 7. "": nobody is late, no
/// values. Refuses a rank that stands twice. Errors have no `where`; the caller knows it.
Expected<std::vector<Time>> parse_skew(std::string_view text, Rank ranks);

}  // namespace espalier::cli
