#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <ostream>
#include <span>
#include <vector>

#include "base/nearest.hpp"

#pragma GCC visibility push(default)  // public: include/espalier has links to the headers
namespace espalier {
namespace {

using Wide = unsigned __int128;

/// A unit is worth `scale` of the smallest one we keep (ps, byte, bit per second).
struct Unit {
  std::string_view name;
  std::uint64_t scale;
};

constexpr std::array kTimeUnits{
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"\u00b5s", 1'000'000},
    Unit{"\u03bcs", 1'000'000},
    Unit{"ms", 1'000'000'000},
    Unit{"s", 1'000'000'000'000},
    Unit{"min", 60'000'000'000'000},
    Unit{"h", 3'600'000'000'000'000},
};

constexpr std::uint64_t kKi = 1024;
constexpr std::array kByteUnits{
    Unit{"B", 1},
    Unit{"kB", 1'000},
    Unit{"KB", 1'000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"TB", 1'000'000'000'000},
    Unit{"KiB", kKi},
    Unit{"MiB", kKi* kKi},
    Unit{"GiB", kKi* kKi* kKi},
    Unit{"TiB", kKi* kKi* kKi* kKi},
};

constexpr std::array kPrefixes{
    Unit{"", 1},
    Unit{"k", 1'000},
    Unit{"K", 1'000},
    Unit{"M", 1'000'000},
    Unit{"G", 1'000'000'000},
    Unit{"T", 1'000'000'000'000},
    Unit{"Ki", kKi},
    Unit{"Mi", kKi* kKi},
    Unit{"Gi", kKi* kKi* kKi},
    Unit{"Ti", kKi* kKi* kKi* kKi},
};
constexpr std::array kRateUnits{Unit{"bit/s", 1}, Unit{"b/s", 1}, Unit{"bps", 1}, Unit{"B/s", 8},
                                Unit{"Bps", 8}};

/// digits * 10^exponent, with at most kMaxDigits digits: more would not survive the arithmetic.
struct Decimal {
  Wide digits = 0;
  int exponent = 0;
};
constexpr int kMaxDigits = 19;

struct Quantity {
  Decimal number;
  std::string_view unit;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Error malformed(std::string_view text, std::string_view kind, std::string_view hint) {
  const std::string_view number = trimmed(text);
  if (number.size() > 1 && number[0] == '-' && is_digit(number[1])) {
    return {"", fmt::format("\"{}\" is not {}: it is negative", text.substr(0, 60), kind),
            std::string(hint)};
  }
  return {"", fmt::format("\"{}\" is not {}", text.substr(0, 60), kind), std::string(hint)};
}

/// Reads "12.5e-3" off the front of `text`. Not "1e" of "1exabyte": an exponent needs a digit.
bool take_decimal(std::string_view& text, Decimal& out) {
  std::size_t at = 0;
  int digits = 0;
  bool any = false;
  const auto take_digits = [&](bool fraction) {
    for (; at < text.size() && is_digit(text[at]); ++at) {
      any = true;
      if (digits == 0 && text[at] == '0') {
        if (fraction) --out.exponent;
        continue;
      }
      if (++digits > kMaxDigits) {
        if (!fraction) ++out.exponent;
        if (text[at] != '0') return false;
        continue;
      }
      out.digits = out.digits * 10 + static_cast<unsigned>(text[at] - '0');
      if (fraction) --out.exponent;
    }
    return true;
  };
  if (!take_digits(false)) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!take_digits(true)) return false;
  }
  if (!any) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t e = at + 1;
    const bool negative = e < text.size() && text[e] == '-';
    if (e < text.size() && (text[e] == '-' || text[e] == '+')) ++e;
    if (e < text.size() && is_digit(text[e])) {
      int value = 0;
      for (; e < text.size() && is_digit(text[e]); ++e) {
        value = std::min(10'000, value * 10 + (text[e] - '0'));
      }
      out.exponent += negative ? -value : value;
      at = e;
    }
  }
  text.remove_prefix(at);
  return true;
}

/// A limit in units that people count in.
std::string limit_in_words(std::uint64_t limit, std::string_view smallest) {
  constexpr std::uint64_t kDay = 86'400'000'000'000'000;
  if (smallest == "ps") return fmt::format("{} days", limit / kDay);
  if (smallest == "millionth") return fmt::format("{:.3g}", double(limit) / 1e6);
  return fmt::format("{:.3g} {}", double(limit), smallest);
}

/// number * scale as an integer below `limit`.
Expected<std::uint64_t> scaled(Decimal number, std::uint64_t scale, std::uint64_t limit,
                               Rounding rounding, std::string_view text, std::string_view kind,
                               std::string_view smallest) {
  const Error too_large{"", fmt::format("\"{:.60}\" is too large for {}", text, kind),
                        fmt::format("the largest is about {}", limit_in_words(limit, smallest))};
  Wide value = number.digits * scale;  // fits: it is below 10^19 * 2^52
  if (value == 0) return std::uint64_t{0};
  for (; number.exponent > 0; --number.exponent) {
    value *= 10;
    if (value > limit) return too_large;
  }
  bool exact = true;
  bool half_or_more = false;
  for (; number.exponent < 0 && value != 0; ++number.exponent) {
    const auto digit = static_cast<unsigned>(value % 10);
    exact = exact && digit == 0;
    half_or_more = digit >= 5;
    value /= 10;
  }
  if (number.exponent < 0) half_or_more = false;
  if (!exact && rounding == Rounding::Refuse) {
    return Error{"", fmt::format("\"{:.60}\" is finer than one {}", text, smallest),
                 fmt::format("round it to whole multiples of one {}", smallest)};
  }
  if (!exact && half_or_more) ++value;
  if (value > limit) return too_large;
  return static_cast<std::uint64_t>(value);
}

bool take_quantity(std::string_view text, Quantity& out) {
  text = trimmed(text);
  if (!take_decimal(text, out.number)) return false;
  out.unit = trimmed(text);
  return true;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  const auto it =
      std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return it == units.end() ? nullptr : &*it;
}

/// Bits a second of "Mbit/s" and the like; 0 if it is no such unit.
std::uint64_t rate_scale(std::string_view name) {
  for (const Unit& rate : kRateUnits) {
    if (!name.ends_with(rate.name)) continue;
    const Unit* prefix = find_unit(kPrefixes, name.substr(0, name.size() - rate.name.size()));
    if (prefix != nullptr) return prefix->scale * rate.scale;
  }
  return 0;
}

std::vector<NamedUnit> named(std::span<const Unit> units) {
  std::vector<NamedUnit> result;
  for (const Unit& unit : units) result.push_back({std::string(unit.name), unit.scale});
  return result;
}

std::vector<NamedUnit> named_rates() {
  std::vector<NamedUnit> result;
  for (const Unit& rate : kRateUnits) {
    for (const Unit& prefix : kPrefixes) {
      result.push_back({fmt::format("{}{}", prefix.name, rate.name), prefix.scale * rate.scale});
    }
  }
  return result;
}

/// A number behind which no unit stands, or one that there is not.
Error wrong_unit(std::string_view text, const Quantity& q, std::string_view kind,
                 std::string_view hint, std::span<const NamedUnit> units) {
  if (q.unit.empty()) {
    return malformed(text, fmt::format("{}: it has no unit", kind), hint);
  }
  if (const std::string_view large = q.unit.substr(0, 1);
      q.unit.size() <= 4 && (large == "P" || large == "E" || large == "Z" || large == "Y") &&
      std::any_of(units.begin(), units.end(), [&](const NamedUnit& unit) {
        return unit.name == "T" + std::string(q.unit.substr(1));
      })) {
    return malformed(text, kind, fmt::format("the largest unit is T{}", q.unit.substr(1)));
  }
  const std::string_view whole = trimmed(text);
  const std::string meant =
      meant_quantity(whole.substr(0, whole.size() - q.unit.size()), q.unit, units);
  return malformed(text, kind, meant.empty() ? hint : meant);
}

constexpr std::string_view kTimeHint = "write a number and a unit, such as \"30 ms\" or \"1.5us\"";
constexpr std::string_view kBytesHint = "write a number and a unit, such as \"16 KiB\" or \"1MB\"";
constexpr std::string_view kRateHint =
    "write a number and a unit, such as \"100 Mbit/s\" or \"1.25 GB/s\"";

/// value / scale as a decimal with at most `places` digits after the point, or nothing.
std::string exact_decimal(std::uint64_t value, std::uint64_t scale, int places) {
  std::string fraction;
  Wide rest = value % scale;
  for (int i = 0; i < places && rest != 0; ++i) {
    rest *= 10;
    fraction += static_cast<char>('0' + static_cast<int>(rest / scale));
    rest %= scale;
  }
  if (rest != 0) return {};
  const std::string whole = fmt::format("{}", value / scale);
  return fraction.empty() ? whole : whole + "." + fraction;
}

/// In the largest unit of `units` (ordered from large to small) that gives a short exact decimal.
std::string in_best_unit(std::uint64_t value, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (value < unit.scale) continue;
    if (std::string text = exact_decimal(value, unit.scale, 3); !text.empty()) {
      return fmt::format("{} {}", text, unit.name);
    }
  }
  return fmt::format("{} {}", value, units.back().name);
}

}  // namespace

Expected<Time> parse_time(std::string_view text, Rounding rounding, std::string_view default_unit) {
  Quantity q;
  if (!take_quantity(text, q)) return malformed(text, "a time", kTimeHint);
  const Unit* unit = find_unit(kTimeUnits, q.unit.empty() ? default_unit : q.unit);
  if (unit == nullptr) return wrong_unit(text, q, "a time", kTimeHint, named(kTimeUnits));
  auto ps = scaled(q.number, unit->scale, std::uint64_t(kForever.picoseconds) - 1, rounding, text,
                   "a time", "ps");
  if (!ps) return ps.error();
  return Time{static_cast<std::int64_t>(*ps)};
}

Expected<Time> parse_time(std::string_view text) { return parse_time(text, Rounding::Refuse, ""); }

Expected<Bytes> parse_bytes(std::string_view text) {
  Quantity q;
  if (!take_quantity(text, q)) return malformed(text, "a size", kBytesHint);
  const Unit* unit = find_unit(kByteUnits, q.unit.empty() ? "B" : q.unit);
  if (unit == nullptr) return wrong_unit(text, q, "a size", kBytesHint, named(kByteUnits));
  auto bytes =
      scaled(q.number, unit->scale, std::uint64_t{1} << 62, Rounding::Refuse, text, "a size", "B");
  if (!bytes) return bytes.error();
  return Bytes{*bytes};
}

Expected<Bandwidth> parse_bandwidth(std::string_view text, Rounding rounding,
                                    std::string_view default_unit) {
  if (trimmed(text) == "unlimited") return kUnlimited;
  Quantity q;
  if (!take_quantity(text, q)) return malformed(text, "a bandwidth", kRateHint);
  const std::uint64_t scale = rate_scale(q.unit.empty() ? default_unit : q.unit);
  if (scale == 0) return wrong_unit(text, q, "a bandwidth", kRateHint, named_rates());
  auto bits =
      scaled(q.number, scale, std::uint64_t{1} << 62, rounding, text, "a bandwidth", "bit/s");
  if (!bits) return bits.error();
  if (*bits == 0) {
    return Error{"", fmt::format("\"{:.60}\": a bandwidth of zero carries nothing", text),
                 "leave it out, or write \"unlimited\", where no limit is known"};
  }
  return Bandwidth{*bits};
}

Expected<Bandwidth> parse_bandwidth(std::string_view text) {
  return parse_bandwidth(text, Rounding::Refuse, "");
}

Expected<std::uint64_t> parse_millionths(std::string_view text) {
  Quantity q;
  constexpr std::string_view kHint = "write a number with at most six digits after the point";
  if (!take_quantity(text, q) || !q.unit.empty()) return malformed(text, "a number", kHint);
  return scaled(q.number, 1'000'000, std::uint64_t{1} << 52, Rounding::Refuse, text, "a ratio",
                "millionth");
}

namespace {

/// Said of what cannot be counted in picoseconds of 63 bits.
constexpr const char* kBeyondTimes = "more than 106 days";

}  // namespace

std::string to_string(Time t) {
  if (t == kForever) return kBeyondTimes;
  if (t.picoseconds == 0) return "0 s";
  constexpr std::array kUnits{Unit{"s", 1'000'000'000'000}, Unit{"ms", 1'000'000'000},
                              Unit{"us", 1'000'000}, Unit{"ns", 1'000}, Unit{"ps", 1}};
  const bool negative = t.picoseconds < 0;
  const auto magnitude = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(t.picoseconds)
                                  : static_cast<std::uint64_t>(t.picoseconds);
  return (negative ? "-" : "") + in_best_unit(magnitude, kUnits);
}

std::string to_string(Bytes b) {
  constexpr std::array kBinary{Unit{"TiB", kKi * kKi * kKi * kKi}, Unit{"GiB", kKi * kKi * kKi},
                               Unit{"MiB", kKi * kKi}, Unit{"KiB", kKi}};
  for (const Unit& unit : kBinary) {
    if (b.value >= unit.scale && b.value % unit.scale == 0) {
      return fmt::format("{} {}", b.value / unit.scale, unit.name);
    }
  }
  constexpr std::array kDecimal{Unit{"TB", 1'000'000'000'000}, Unit{"GB", 1'000'000'000},
                                Unit{"MB", 1'000'000}, Unit{"kB", 1'000}, Unit{"B", 1}};
  // Lengths that nobody rounded stay whole numbers of bytes: 1234 B, not 1.234 kB.
  const std::span units(kDecimal);
  return in_best_unit(b.value, b.value % 1'000 == 0 ? units : units.last(1));
}

std::string to_string(Bandwidth b) {
  if (b.unlimited()) return "unlimited";
  constexpr std::array kUnits{Unit{"Tbit/s", 1'000'000'000'000}, Unit{"Gbit/s", 1'000'000'000},
                              Unit{"Mbit/s", 1'000'000}, Unit{"kbit/s", 1'000}, Unit{"bit/s", 1}};
  return in_best_unit(b.bits_per_second, kUnits);
}

std::string millionths_to_string(std::uint64_t millionths) {
  return exact_decimal(millionths, 1'000'000, 6);
}

std::string rounded(Time t, int digits) {
  if (t == kForever) return kBeyondTimes;
  const double ps = static_cast<double>(t.picoseconds);
  const double magnitude = ps < 0 ? -ps : ps;
  constexpr double kHour = 3600e12, kDay = 24 * kHour;
  if (magnitude >= kDay) return fmt::format("{:.{}g} days", ps / kDay, digits);
  if (magnitude >= 10'000e12) return fmt::format("{:.{}g} hours", ps / kHour, digits);
  // What would be rounded to 1000 of a unit is 1 of the next.
  const double almost = 1 - 0.5 * std::pow(10.0, -digits);
  if (magnitude >= 1'000e12) return fmt::format("{:.0f} s", ps / 1e12);
  if (magnitude >= 1e12 * almost) return fmt::format("{:.{}g} s", ps / 1e12, digits);
  if (magnitude >= 1e9 * almost) return fmt::format("{:.{}g} ms", ps / 1e9, digits);
  if (magnitude >= 1e6 * almost) return fmt::format("{:.{}g} us", ps / 1e6, digits);
  if (magnitude >= 1e3) return fmt::format("{:.{}g} ns", ps / 1e3, digits);
  return t.picoseconds == 0 ? "0 s" : fmt::format("{} ps", t.picoseconds);
}

std::ostream& operator<<(std::ostream& out, Time t) { return out << to_string(t); }
std::ostream& operator<<(std::ostream& out, Bytes b) { return out << to_string(b); }
std::ostream& operator<<(std::ostream& out, Bandwidth b) { return out << to_string(b); }

}  // namespace espalier
#pragma GCC visibility pop
