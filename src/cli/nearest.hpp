#pragma once

#include <span>
#include <string>
#include <string_view>

namespace espalier::cli {

/// The candidate that `word` was probably meant to be, or "" if none is near: at most one typing
/// error (a letter missing, added, wrong, or two swapped) for each three letters, at least one.
/// The earlier candidate wins a tie.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace espalier::cli
