#pragma once

#include <cstdint>
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

/// Some of many names, for a message: the ten that are most like `word`, nearest first and the
/// earlier of two alike, and how many more there are ("ring, flat and 40 more"). All if there are
/// no more than ten.
[[nodiscard]] std::string some_names(std::string_view word,
                                     std::span<const std::string> candidates);

struct NamedUnit {
  std::string name;
  std::uint64_t scale;
};

/// What somebody meant who wrote `number` and a unit that there is not: "did you mean ...?" for one
/// that differs in the case of its letters or in one typing error, or whose end is
/// missing ("64K", "100Mb"); all such where they are worth different amounts. Nothing if none is
/// near.
[[nodiscard]] std::string meant_quantity(std::string_view number, std::string_view unit,
                                         std::span<const NamedUnit> units);

}  // namespace espalier
