#pragma once

#include <cstdint>

namespace espalier {

/// A number that no other process has: of the system if it gives one, else made of the clock, the
/// process and a counter. Unlike std::random_device it never ends the program (a sandbox may refuse
/// the system call). Not for secrets.
[[nodiscard]] std::uint64_t fresh_number() noexcept;

}  // namespace espalier
