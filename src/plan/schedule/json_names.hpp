#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "schedule/program.hpp"

namespace espalier::schedule {

// The words of espalier-schedule-1, in the order of their enumerators.
inline constexpr std::string_view kScheduleFormat = "espalier-schedule-1";
inline constexpr std::array<std::string_view, 5> kOpNames{"send", "recv", "reduce", "copy",
                                                          "compute"};
inline constexpr std::array<std::string_view, 3> kBufferNames{"in", "out", "scratch"};
inline constexpr std::array<std::string_view, 2> kOperandsNames{"from-then-to", "to-then-from"};

template <typename Enum, std::size_t N>
constexpr std::string_view name_in(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <typename Enum, std::size_t N>
constexpr std::optional<Enum> value_in(const std::array<std::string_view, N>& names,
                                       std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace espalier::schedule
