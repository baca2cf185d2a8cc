#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::schedule {

/// A whole plan: the call and every rank's program. Ranks run from their own program alone; the
/// whole is for verifying, simulating and drawing.
struct Schedule {
  Collective call;
  std::string algorithm;          ///< name as in the table of candidates
  std::vector<Program> programs;  ///< [rank]
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// A hash that is equal on every machine for equal values, and only for them (but for a chance of
/// 2^-64).
[[nodiscard]] std::uint64_t hash_of(const Program& program);
[[nodiscard]] std::uint64_t hash_of(const Collective& call);
[[nodiscard]] std::uint64_t hash_of(const Schedule& schedule);

}  // namespace espalier::schedule
