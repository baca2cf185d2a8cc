#pragma once

#include <optional>

#include "base/error.hpp"

namespace espalier::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;  ///< a bug, no memory, output that could not be written
inline constexpr int kExitRefused = 1;   ///< espalier verify: the schedule is wrong
inline constexpr int kExitUsage = 2;     ///< arguments or input that cannot be worked with

/// Why a command failed.
struct Failure {
  Error error;  ///< empty: already reported, only the exit code counts
  int exit_code = kExitUsage;
};

/// How a command ended: absent means success.
using Outcome = std::optional<Failure>;

}  // namespace espalier::cli
