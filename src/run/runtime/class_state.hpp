#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace espalier::runtime {

/// The states of a class of calls, as docs/runtime.md ("States of a class of calls") describes
/// them. First to Kept are the phases of its trial.
enum class ClassState : std::uint8_t {
  Few,
  Predicted,
  Joining,
  First,
  AgreeingOnFirst,
  Waiting,
  Turns,
  AgreeingOnAll,
  LongRun,
  AgreeingOnLongRun,
  Probation,
  Kept,
  Alarm
};
inline constexpr std::array<std::string_view, 13> kClassStateNames{
    "Few",       "Predicted", "Joining",       "First",   "AgreeingOnFirst",
    "Waiting",   "Turns",     "AgreeingOnAll", "LongRun", "AgreeingOnLongRun",
    "Probation", "Kept",      "Alarm"};
[[nodiscard]] constexpr std::string_view name_of(ClassState state) {
  return kClassStateNames[static_cast<std::size_t>(state)];
}

/// How far a communicator is on its way to a hidden one, as docs/runtime.md ("States of joining")
/// describes it. The last two are ends.
enum class JoinState : std::uint8_t { Waiting, Asking, Comparing, There, Never };
inline constexpr std::array<std::string_view, 5> kJoinStateNames{"Waiting", "Asking", "Comparing",
                                                                 "There", "Never"};

}  // namespace espalier::runtime
