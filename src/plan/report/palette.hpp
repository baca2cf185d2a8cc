#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace espalier::report {

// Okabe and Ito's colours ("Color universal design", 2008), told apart by colour-blind eyes too.
inline constexpr std::array<std::string_view, 8> kSeriesColours{
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5fc0", "#555555"};

/// Of a level: warm is slow. Deeper ones share the last.
[[nodiscard]] constexpr std::string_view level_colour(std::uint32_t level) {
  constexpr std::array<std::string_view, 5> kColours{"#d55e00", "#e69f00", "#0072b2", "#009e73",
                                                     "#56b4e9"};
  return kColours[level < kColours.size() ? level : kColours.size() - 1];
}

/// A pale background for the n-th outermost cluster; repeats after eight.
[[nodiscard]] constexpr std::string_view site_colour(std::uint32_t n) {
  constexpr std::array<std::string_view, 8> kColours{"#dcebf7", "#fbe5d3", "#d8f0e6", "#f6e3ee",
                                                     "#fdf2cf", "#e4e0f5", "#e6f4fb", "#e8e8e8"};
  return kColours[n % kColours.size()];
}

inline constexpr std::string_view kInk = "#222222";
inline constexpr std::string_view kFaintInk = "#666666";
inline constexpr std::string_view kRule = "#c8c8c8";

}  // namespace espalier::report
