#pragma once

#include <string>
#include <vector>

#include "report/draw_machine.hpp"
#include "schedule/collective.hpp"
#include "sim/result.hpp"
#include "topology/machine.hpp"

namespace espalier::report {

/// A plan and what the simulator saw of it: what all its drawings and files are made from.
/// @pre the simulation was traced (SimOptions::trace)
struct SimulatedPlan {
  std::string name;  ///< such as "multilevel exchange 8 KiB"
  schedule::Collective call;
  sim::SimResult result;
  std::vector<Time> entered;  ///< when each rank entered the call; empty: all at time 0
};

/// The plan in the terminal: a time line for each rank (folded: for those on the critical path and
/// those that cross the slowest channels), the critical path, what each level carried.
[[nodiscard]] std::string draw_timeline(const SimulatedPlan& plan, const topology::Machine& machine,
                                        const Canvas& canvas, Detail detail);

/// The time lines as a drawing: bars where a processor is busy, in the colour of the message's
/// level; lines for messages, where there are few, else marks where they arrive; the critical path
/// on top of them.
/// @param least_width the drawing is at least so wide
[[nodiscard]] std::string timeline_svg(const SimulatedPlan& plan, const topology::Machine& machine,
                                       Detail detail, double least_width = 0);

/// Who sends to whom: processes side by side in their clusters, an arc for each two that exchange
/// messages, in the colour of their level. Large machines: whole clusters instead of processes.
[[nodiscard]] std::string traffic_svg(const SimulatedPlan& plan, const topology::Machine& machine);

/// "send", "transfer", "reduce", ...: as documents call a step of the critical path.
[[nodiscard]] const char* name_of(sim::CriticalStep::Kind kind);

/// espalier-simulation-1, see docs/formats.md.
[[nodiscard]] std::string simulation_json(const SimulatedPlan& plan,
                                          const topology::Machine& machine);

/// What crossed each level, in units of one style: "922.5 kB".
[[nodiscard]] std::vector<std::string> bytes_of_levels(const SimulatedPlan& plan);

/// One row a level: level_table(), and what crossed it.
[[nodiscard]] Table level_use_table(const sim::SimResult& result, const topology::Machine& machine);

/// "alltoall"; "alltoallv" if its blocks differ in length.
[[nodiscard]] std::string operation_in_words(const schedule::Collective& call);
/// "allreduce of 64 KiB among 48 processes"
[[nodiscard]] std::string call_in_words(const schedule::Collective& call);

}  // namespace espalier::report
