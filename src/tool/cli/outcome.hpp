#pragma once

#include <optional>

#include "base/error.hpp"

namespace espalier::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  ///< a bug, no memory, output that could not be written
inline constexpr int kExitRefused = 1;   ///< espalier verify: the schedule is wrong
inline constexpr int kExitUsage = 2;     ///< arguments or input that cannot be worked with

struct Failure {
  Error error;  ///< without words: all was said already
  int exit_code = kExitUsage;
};

/// Nothing if all went well.
using Outcome = std::optional<Failure>;

}  // namespace espalier::cli
