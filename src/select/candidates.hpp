#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/schedule.hpp"
#include "select/plan.hpp"

namespace espalier::select {

/// A plan with its name and what it is, and how each rank builds its own part.
struct Candidate {
  Plan plan;
  std::string name;  ///< "multilevel exchange 8 KiB", "ring"
  std::string why;   ///< what it is, in a line
  bool knows_topology = false;
  std::function<schedule::Program(Rank)> program_of;
};

/// Every way we know to do this call on this machine, in a fixed order: multilevel plans (the
/// outermost level flat, chain or binomial, by tree or exchange, for several segment sizes), trees
/// blind to the topology, and the classical algorithms.
///
/// What they hold refers to `hierarchy` and `call`, which must outlive them.
/// @pre call.size == hierarchy.machine().size()
[[nodiscard]] std::vector<Candidate> candidates(const collective::Hierarchy& hierarchy,
                                                const schedule::Collective& call);

/// Segment sizes worth trying, in units: whole, and powers of four from 4 KiB to 1 MiB.
[[nodiscard]] std::vector<std::uint64_t> segments_for(const schedule::Collective& call);

/// All ranks' parts of a candidate.
[[nodiscard]] schedule::Schedule schedule_of(const Candidate& candidate,
                                             const schedule::Collective& call);

}  // namespace espalier::select
