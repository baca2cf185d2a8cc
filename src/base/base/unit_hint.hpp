#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace espalier {

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
