#pragma once

#include <cstdlib>

namespace espalier {

/// Whether tests take all their cases: LONG_TESTS=1, as `make check-long` sets it. Without it those
/// that take many seconds take a few of them.
[[nodiscard]] inline bool is_long_run() { return std::getenv("LONG_TESTS") != nullptr; }

}  // namespace espalier
