#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "formats/loaded_schedule.hpp"

// GOAL, the schedule language of LogGOPSim: T. Hoefler, C. Siebert, A. Lumsdaine: "Group Operation
// Assembly Language - a flexible way to express collective communication", ICPP 2009; T. Hoefler,
// T. Schneider, A. Lumsdaine: "LogGOPSim: simulating large-scale applications in the LogGOPS
// model", HPDC 2010. docs/formats.md has the grammar that is read.

namespace espalier::formats {

/// A schedule of an unknown call: GOAL knows how many bytes go where and what waits for what, not
/// what they mean. Every message leaves from and arrives in Scratch, calc becomes Compute.
///
/// `a requires b`: a waits for the end of b. `a irequires b` (b has begun): a waits for what b
/// waits for, and stands behind b in the program.
/// Refused: wildcards (tag -1, from -1), circles of waits, ranks without a block. Time and memory
/// are those of the text (times a logarithm).
/// @param file only named in errors
Expected<LoadedSchedule> read_goal(std::string_view text, const std::string& file);

/// How long local work takes; GOAL knows nothing but time.
struct GoalOptions {
  Bandwidth reduce = kUnlimited;
  Bandwidth copy = kUnlimited;
};

/// Any schedule: a line for each message, copies and reductions as calc (whole nanoseconds, rounded
/// up). In v forms with the lengths that the blocks have in this call.
/// An error if the schedule is malformed; if it is a v form, also if messages do not pair up or
/// wait for each other, since lengths travel with them.
Expected<WrittenSchedule> write_goal(const schedule::Schedule& schedule,
                                     const GoalOptions& options = {});

}  // namespace espalier::formats
