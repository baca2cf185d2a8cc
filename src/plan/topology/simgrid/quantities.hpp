#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "topology/resources.hpp"

namespace espalier::topology::simgrid {

/// Quantities as SimGrid's platform files write them. Rounded to the nearest picosecond or bit per
/// second, since "1.4E-13s" and the like are common there. The errors' `where` is empty.

/// "100us", "1.0E-4s", "0"; units w d h m s ms us ns ps; none means seconds.
Expected<Time> parse_latency(std::string_view text);

/// "125MBps", "1.25E9Bps", "10Gbps"; none means bytes a second. More than 2^62 bit/s is more than
/// we count, and means kUnlimited: so does write_simgrid say it.
Expected<Bandwidth> parse_rate(std::string_view text);

/// "1Gf", "98.095Mf"; a list "2Gf,1Gf" has one speed for each pstate. In millionths of 1 Gflop/s,
/// at least one of them.
Expected<std::uint64_t> parse_speed(std::string_view text, std::size_t pstate);

/// SMPI's cost of a message (smpi/os, smpi/or): "from:seconds:seconds a byte", several of them with
/// ';' between. The first section counts; `sections` says how many there were.
struct ParsedCost {
  Cost cost;
  std::size_t sections = 1;
};
Expected<ParsedCost> parse_cost(std::string_view text);

struct NumberRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  ///< first <= last

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{last} - first + 1; }
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};
/// "1-29,58": numbers and ranges of them. Refuses more than `limit` numbers in all.
Expected<std::vector<NumberRange>> parse_radical(std::string_view text, std::uint64_t limit);

/// A plain whole number from `least` to `most`.
Expected<std::uint64_t> parse_count(std::string_view text, std::uint64_t least, std::uint64_t most);

/// Cut at every `separator`: "a;b;" -> "a", "b", "".
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace espalier::topology::simgrid
