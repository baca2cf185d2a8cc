#pragma once

#include <cstdint>
#include <vector>

#include "schedule/collective.hpp"
#include "verify/symbolic_run.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

/// What a stretch of Out has to hold when all is over: unit u is unit u + shift (mod 2^64) of the
/// inputs of ranks first .. last: of the one, or of all combined.
struct Goal {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Rank first = 0;
  Rank last = 0;
  std::uint64_t shift = 0;
  bool may_be_missing = false;  ///< true: right also if nothing was ever written
  friend bool operator==(const Goal&, const Goal&) = default;
};

/// The table of schedule/collective.hpp. Exscan: rank 0 has no goal. Empty blocks of v forms (but
/// of reductions) may be missing.
[[nodiscard]] std::vector<Goal> goals_of(const schedule::Collective& call, Rank rank);

/// Compares every output with its goals, and in allreduce the ranks with each other: the same
/// expression everywhere, so the same bits.
void check_goals(const schedule::Schedule& schedule, const SymbolicRun& run, Findings& findings);

/// Verdict::association and ::one_association.
void describe_association(const schedule::Collective& call, const SymbolicRun& run,
                          Verdict& verdict);

}  // namespace espalier::verify
