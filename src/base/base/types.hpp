#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

namespace espalier {

/// A process of the machine, counted from 0.
using Rank = std::uint32_t;
inline constexpr Rank kNoRank = std::numeric_limits<Rank>::max();

/// A span of time: whole picoseconds, so that every CPU adds up and compares alike.
///
/// Sums saturate at kForever (106 days) instead of overflowing; kForever stands for "never".
struct Time {
  std::int64_t picoseconds = 0;

  friend constexpr auto operator<=>(Time, Time) = default;
  constexpr Time& operator+=(Time other);
};
inline constexpr Time kForever{std::numeric_limits<std::int64_t>::max()};

constexpr Time operator+(Time a, Time b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.picoseconds, b.picoseconds, &sum) ? kForever : Time{sum};
}
constexpr Time operator-(Time a, Time b) { return Time{a.picoseconds - b.picoseconds}; }
constexpr Time operator*(std::int64_t n, Time t) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(n, t.picoseconds, &product) ? kForever : Time{product};
}
/// A time and the `parts`th part of it more.
constexpr Time lengthened(Time t, std::int64_t parts) { return t + Time{t.picoseconds / parts}; }
/// The picosecond next to a figure >= 0; kForever if it is beyond all times.
constexpr Time nearest_time(double picoseconds) {
  constexpr double kBeyond = 9223372036854775808.0;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): std::llround is no constant expression
  return picoseconds + 0.5 < kBeyond ? Time{static_cast<std::int64_t>(picoseconds + 0.5)}
                                     : kForever;
}
constexpr Time& Time::operator+=(Time other) { return *this = *this + other; }

constexpr Time picoseconds(std::int64_t n) { return Time{n}; }
constexpr Time nanoseconds(std::int64_t n) { return n * Time{1'000}; }
constexpr Time microseconds(std::int64_t n) { return n * Time{1'000'000}; }
constexpr Time milliseconds(std::int64_t n) { return n * Time{1'000'000'000}; }
constexpr Time seconds(std::int64_t n) { return n * Time{1'000'000'000'000}; }

/// Floating point: for reports, and for predictions, which every CPU computes alike (ADR 7).
constexpr double to_microseconds(Time t) { return static_cast<double>(t.picoseconds) / 1e6; }
constexpr double to_seconds(Time t) { return static_cast<double>(t.picoseconds) / 1e12; }

/// A length of data.
struct Bytes {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
};

/// Bits a second, or kUnlimited: where no figure is known, or none applies.
struct Bandwidth {
  std::uint64_t bits_per_second = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] constexpr bool unlimited() const {
    return bits_per_second == std::numeric_limits<std::uint64_t>::max();
  }
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) = default;
};
inline constexpr Bandwidth kUnlimited{};

constexpr Bandwidth bits_per_second(std::uint64_t n) { return Bandwidth{n}; }
constexpr Bandwidth bytes_per_second(std::uint64_t n) { return Bandwidth{8 * n}; }

/// How long `size` takes at `rate`, rounded up to a picosecond; kForever if it does not fit or the
/// rate is zero.
[[nodiscard]] constexpr Time transfer_time(Bytes size, Bandwidth rate) {
  if (rate.unlimited() || size.value == 0) return Time{0};
  if (rate.bits_per_second == 0) return kForever;
  using Wide = unsigned __int128;
  constexpr Wide kPicosecondsPerByteAtOneBitPerSecond = 8'000'000'000'000ULL;
  const Wide bits = Wide{size.value} * kPicosecondsPerByteAtOneBitPerSecond;
  const Wide time = (bits + rate.bits_per_second - 1) / rate.bits_per_second;
  return time < static_cast<Wide>(kForever.picoseconds) ? Time{static_cast<std::int64_t>(time)}
                                                        : kForever;
}

std::ostream& operator<<(std::ostream& out, Time t);
std::ostream& operator<<(std::ostream& out, Bytes b);
std::ostream& operator<<(std::ostream& out, Bandwidth b);

}  // namespace espalier
