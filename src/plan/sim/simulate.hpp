#pragma once

#include <functional>

#include "schedule/schedule.hpp"
#include "sim/options.hpp"
#include "sim/result.hpp"
#include "topology/machine.hpp"

namespace espalier::sim {

/// When each rank would be done with the schedule on this machine, and what holds it up.
///
/// Costs of nodes, latencies and shared capacities are the machine's; docs/simulation.md says what
/// is modelled and what is not. The same arguments give the same result on every CPU.
///
/// A schedule that cannot end (a Recv without Send, a cycle of waits) is no error: the ranks that
/// wait for ever finish at kForever.
/// @pre as many programs as the machine has processes; their ranks 0, 1, ...
///
/// With one bottleneck O(M (log M + depth)) for M messages; with exact sharing, each start and end
/// of a message also costs as much as there are messages whose speed it may change.
[[nodiscard]] SimResult simulate(const schedule::Schedule& schedule,
                                 const topology::Machine& machine, const SimOptions& options = {});

/// simulate() that makes each rank's program when it needs it, and drops it.
[[nodiscard]] SimResult simulate(const schedule::Collective& call,
                                 const std::function<schedule::Program(Rank)>& program_of,
                                 const topology::Machine& machine, const SimOptions& options = {});

}  // namespace espalier::sim
