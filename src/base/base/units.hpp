#pragma once

#include <string>
#include <string_view>

#include "expected.hpp"
#include "types.hpp"

namespace espalier {

/// Quantities as people write them: a decimal number and a unit, with or without a space between.
/// Exact: a quantity finer than one picosecond, bit per second or byte is refused, not rounded.
/// The errors' `where` is empty; the caller knows it.

/// "30 ms", "1.5us", "250 ns", "0 s"; units s ms us ns ps min h.
Expected<Time> parse_time(std::string_view text);
/// "16 KiB", "1MB", "8"; units B, kB MB GB TB (powers of 1000), KiB MiB GiB TiB; none means bytes.
Expected<Bytes> parse_bytes(std::string_view text);
/// "100 Mbit/s", "1.25 GB/s", "125MBps"; bit/s or bps for bits, B/s or Bps for bytes, with the
/// prefixes k M G T and Ki Mi Gi Ti; or "unlimited".
Expected<Bandwidth> parse_bandwidth(std::string_view text);
/// "2.15", "1": a plain ratio in millionths.
Expected<std::uint64_t> parse_millionths(std::string_view text);

enum class Rounding { Refuse, Nearest };
/// For formats that are not ours, where figures such as "1.4E-13s" are common.
Expected<Time> parse_time(std::string_view text, Rounding rounding, std::string_view default_unit);
Expected<Bandwidth> parse_bandwidth(std::string_view text, Rounding rounding,
                                    std::string_view default_unit);

/// The shortest exact form, in the largest unit that needs no more than three digits after the
/// point (else the next smaller ones): parse_x(to_string(x)) == x.
[[nodiscard]] std::string to_string(Time t);
[[nodiscard]] std::string to_string(Bytes b);
[[nodiscard]] std::string to_string(Bandwidth b);
[[nodiscard]] std::string millionths_to_string(std::uint64_t millionths);

/// For tables: at most `digits` significant digits, not exact. "10.6 ms".
[[nodiscard]] std::string rounded(Time t, int digits = 4);

}  // namespace espalier
