#pragma once

#include <span>
#include <string>
#include <string_view>

namespace espalier {

/// The candidate that `word` was probably meant to be, or "" if none is near: at most one typing
/// error (a letter missing, added, wrong, or two swapped) for each three letters, at least one.
/// The earlier candidate wins a tie.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `did you mean "fnf"? ` with the nearest candidate, to stand before a list of all; or "".
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

}  // namespace espalier
