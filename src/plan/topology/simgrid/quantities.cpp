#include "topology/simgrid/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/units.hpp"

namespace espalier::topology::simgrid {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error malformed(std::string_view text, std::string_view kind, std::string_view hint) {
  return {"", fmt::format("\"{}\" is not {}", text.substr(0, 60), kind), std::string(hint)};
}

/// "1.25E9Bps" in parts: digits and a decimal exponent, and the unit.
struct Quantity {
  std::string digits;  ///< no more than 19, what base/units can hold; the rest is cut off
  std::int64_t exponent = 0;
  std::string_view unit;
};

/// Takes an exponent such as "E-4" off the front; not the E of "EBps", which no digit follows.
std::int64_t take_exponent(std::string_view& text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  std::size_t at = 1;
  const bool negative = at < text.size() && text[at] == '-';
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  if (at == text.size() || !is_digit(text[at])) return 0;
  std::int64_t value = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    value = std::min<std::int64_t>(10'000, value * 10 + (text[at] - '0'));
  }
  text.remove_prefix(at);
  return negative ? -value : value;
}

bool take_quantity(std::string_view text, Quantity& out) {
  constexpr std::size_t kMaxDigits = 19;
  text = trimmed(text);
  bool any = false;
  bool fraction = false;
  for (; !text.empty() && (is_digit(text[0]) || (text[0] == '.' && !fraction));
       text.remove_prefix(1)) {
    if (text[0] == '.') {
      fraction = true;
      continue;
    }
    any = true;
    const bool counts = out.digits.size() < kMaxDigits && !(out.digits.empty() && text[0] == '0');
    if (counts) out.digits += text[0];
    const bool cut_off = !counts && !out.digits.empty();
    if (fraction && !cut_off) --out.exponent;
    if (!fraction && cut_off) ++out.exponent;
  }
  if (!any) return false;
  out.exponent += take_exponent(text);
  if (out.digits.empty()) out.digits = "0";
  out.unit = trimmed(text);
  return true;
}

double magnitude(const Quantity& q) {
  const std::string text = fmt::format("{}e{}", q.digits, q.exponent);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range) return q.exponent > 0 ? 1e300 : 0;
  return value;
}

constexpr std::string_view kTimeHint = "write a number and a unit, such as \"100us\" or \"1e-4s\"";
constexpr std::string_view kRateHint =
    "write a number and a unit, such as \"125MBps\" or \"10Gbps\"";
constexpr std::string_view kSpeedHint =
    "write a number and a unit, such as \"1Gf\" or \"98.095Mf\"";

struct SpeedUnit {
  std::string_view name;
  double flops;
};
constexpr std::array kSpeedUnits{
    SpeedUnit{"", 1},
    SpeedUnit{"f", 1},
    SpeedUnit{"flops", 1},
    SpeedUnit{"kf", 1e3},
    SpeedUnit{"kiloflops", 1e3},
    SpeedUnit{"Mf", 1e6},
    SpeedUnit{"megaflops", 1e6},
    SpeedUnit{"Gf", 1e9},
    SpeedUnit{"gigaflops", 1e9},
    SpeedUnit{"Tf", 1e12},
    SpeedUnit{"teraflops", 1e12},
    SpeedUnit{"Pf", 1e15},
    SpeedUnit{"petaflops", 1e15},
    SpeedUnit{"Ef", 1e18},
    SpeedUnit{"exaflops", 1e18},
};

/// Time of each byte, as a rate; none for 0.
Bandwidth rate_of(double seconds_per_byte) {
  if (seconds_per_byte <= 0) return kUnlimited;
  const double bits = 8 / seconds_per_byte;
  if (bits >= 4.6e18) return kUnlimited;
  return Bandwidth{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(bits)))};
}

Bandwidth times(Bandwidth rate, std::uint64_t factor) {
  std::uint64_t bits = 0;
  const bool overflow = __builtin_mul_overflow(rate.bits_per_second, factor, &bits);
  return overflow || bits > (std::uint64_t{1} << 62) ? kUnlimited : Bandwidth{bits};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Expected<Time> parse_latency(std::string_view text) {
  Quantity q;
  if (!take_quantity(text, q)) return malformed(text, "a time", kTimeHint);
  std::int64_t times_one_hour = 1;
  std::string_view unit = q.unit;
  if (unit == "m") unit = "min";
  if (unit == "d" || unit == "w") {
    times_one_hour = unit == "d" ? 24 : 7 * 24;
    unit = "h";
  }
  auto time =
      parse_time(fmt::format("{}e{}{}", q.digits, q.exponent, unit), Rounding::Nearest, "s");
  if (!time) return malformed(text, "a time", kTimeHint);
  return times_one_hour * *time;
}

Expected<Bandwidth> parse_rate(std::string_view text) {
  Quantity q;
  if (!take_quantity(text, q)) return malformed(text, "a bandwidth", kRateHint);
  // base/units stops at T; beyond that its figures would not fit an integer anyway.
  std::string unit(q.unit.empty() ? "Bps" : q.unit);
  std::uint64_t factor = 1;
  if (unit.starts_with("Pi") || unit.starts_with("Ei")) {
    factor = unit[0] == 'P' ? 1024 : 1024 * 1024;
    unit[0] = 'T';
  } else if (unit.starts_with('P') || unit.starts_with('E')) {
    factor = unit[0] == 'P' ? 1'000 : 1'000'000;
    unit[0] = 'T';
  }
  const std::string plain = fmt::format("{}e{}{}", q.digits, q.exponent, unit);
  auto rate = parse_bandwidth(plain, Rounding::Nearest, "");
  if (rate) return times(*rate, factor);
  // Too large to count is no mistake; anything else is. One of a unit tells them apart.
  const auto one = parse_bandwidth("1" + unit, Rounding::Nearest, "");
  const bool huge = one && magnitude(q) * static_cast<double>(one->bits_per_second) > 4.6e18;
  if (huge) return kUnlimited;
  if (one && magnitude(q) * static_cast<double>(one->bits_per_second) < 0.5) {
    return Error{"", fmt::format("\"{}\": a bandwidth of zero carries nothing", text.substr(0, 60)),
                 std::string(kRateHint)};
  }
  return malformed(text, "a bandwidth", kRateHint);
}

Expected<std::uint64_t> parse_speed(std::string_view text, std::size_t pstate) {
  const std::vector<std::string_view> speeds = split(text, ',');
  if (pstate >= speeds.size()) {
    return Error{"", fmt::format("pstate {} of {} speed(s)", pstate, speeds.size()),
                 "pstates are counted from 0"};
  }
  Quantity q;
  if (!take_quantity(speeds[pstate], q)) return malformed(text, "a speed", kSpeedHint);
  const auto unit = std::find_if(kSpeedUnits.begin(), kSpeedUnits.end(),
                                 [&](const SpeedUnit& u) { return u.name == q.unit; });
  if (unit == kSpeedUnits.end()) return malformed(text, "a speed", kSpeedHint);
  const double thousands = magnitude(q) * unit->flops / 1e3;  // 1 Gflop/s is a million of them
  if (thousands > 4e15) return malformed(text, "a speed below 4 Zflop/s", kSpeedHint);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(thousands)));
}

Expected<ParsedCost> parse_cost(std::string_view text) {
  constexpr std::string_view kHint = "write \"0:SECONDS:SECONDS_A_BYTE\", such as \"0:2e-5:0\"";
  const std::vector<std::string_view> sections = split(text, ';');
  const std::vector<std::string_view> parts = split(sections[0], ':');
  Quantity per_byte;
  if (parts.size() < 2) return malformed(text, "a cost of messages", kHint);
  auto fixed = parse_latency(parts[1]);
  if (!fixed) return malformed(text, "a cost of messages", kHint);
  ParsedCost parsed{{*fixed, kUnlimited}, sections.size()};
  if (parts.size() == 2) return parsed;
  if (!take_quantity(parts[2], per_byte) || !per_byte.unit.empty()) {
    return malformed(text, "a cost of messages", kHint);
  }
  parsed.cost.rate = rate_of(magnitude(per_byte));
  return parsed;
}

Expected<std::uint64_t> parse_count(std::string_view text, std::uint64_t least,
                                    std::uint64_t most) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = !text.empty() && code == std::errc() && end == text.data() + text.size();
  if (whole && value >= least && value <= most) return value;
  return Error{
      "",
      fmt::format("\"{}\" is not a whole number from {} to {}", text.substr(0, 60), least, most),
      ""};
}

Expected<std::vector<NumberRange>> parse_radical(std::string_view text, std::uint64_t limit) {
  constexpr std::uint64_t kLargest = 2'147'483'647;
  constexpr std::string_view kHint = "write numbers and ranges, such as \"0-15\" or \"1-29,58\"";
  std::vector<NumberRange> ranges;
  std::uint64_t total = 0;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> ends = split(part, '-');
    const auto first = parse_count(ends.front(), 0, kLargest);
    const auto last = parse_count(ends.back(), 0, kLargest);
    if (ends.size() > 2 || !first || !last || *first > *last) {
      return Error{"", fmt::format("\"{}\" is no range of host numbers", part.substr(0, 60)),
                   std::string(kHint)};
    }
    ranges.push_back({static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last)});
    total += ranges.back().size();
    if (total > limit) {
      return Error{
          "", fmt::format("the radical \"{}\" gives more than {} hosts", text.substr(0, 60), limit),
          "is one digit too many in it?"};
    }
  }
  return ranges;
}

}  // namespace espalier::topology::simgrid
