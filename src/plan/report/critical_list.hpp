#pragma once

#include <string>
#include <vector>

#include "report/simulated_plan.hpp"
#include "report/table.hpp"

namespace espalier::report {

/// Neighbouring steps of the critical path that are read as one: what one processor does, or the
/// messages from one rank to another that follow each other.
struct PathStretch {
  bool travels = false;  ///< whether messages travel from `rank` to `peer`
  bool late = false;     ///< whether `rank` has not entered the call
  Rank rank = 0;
  Rank peer = kNoRank;  ///< kNoRank: no peer, or several
  Time begin;
  Time end;
  std::size_t messages = 0;  ///< number of messages that travel
  std::size_t sends = 0;
  std::size_t recvs = 0;
  std::size_t reduces = 0;
  std::size_t copies = 0;
  std::size_t computes = 0;
  Time moving;  ///< time in which bytes were moving
  sim::ResourceId slowed_by = sim::kNoResource;
};

[[nodiscard]] std::vector<PathStretch> critical_stretches(const sim::SimResult& result);

/// "0 sends 3 messages to 16", "0 -> 16", "5 receives 2, combines 2".
[[nodiscard]] std::string describe(const PathStretch& stretch);

/// When, how long, what, over which channel, what decided it. At most `most` rows: the first and
/// the last ones.
[[nodiscard]] Table critical_table(const SimulatedPlan& plan, const topology::Machine& machine,
                                   std::size_t most);

}  // namespace espalier::report
