#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "schedule/schedule.hpp"

namespace espalier::formats {

/// A schedule that was read, and what its reader wants to tell about it.
struct LoadedSchedule {
  schedule::Schedule schedule;
  std::vector<std::string> notes;
};

/// The text of a schedule, and what the form could not say or its users may not like.
struct WrittenSchedule {
  std::string text;
  std::vector<std::string> notes;
};

enum class Form : std::uint8_t { Json, Goal, Msccl };

/// "json", "goal", "msccl": as the command line calls it.
[[nodiscard]] std::string_view name_of(Form form);
[[nodiscard]] std::optional<Form> form_named(std::string_view name);

/// By what is in it: JSON begins with {, XML with <, all else is GOAL.
[[nodiscard]] Form form_of(std::string_view text);

Expected<LoadedSchedule> parse_schedule(std::string_view text, const std::string& file);

/// A file of at most kMaxScheduleBytes.
struct FileSchedule {
  Form form = Form::Json;
  LoadedSchedule loaded;
  std::string text = {};  ///< text of the file, for the lines of what is wrong
};
inline constexpr std::uint64_t kMaxScheduleBytes = std::uint64_t{64} << 20U;
Expected<FileSchedule> load_schedule(const std::string& path);

Expected<WrittenSchedule> write_schedule(const schedule::Schedule& schedule, Form form);

// GOAL, the schedule language of LogGOPSim: T. Hoefler, C. Siebert, A. Lumsdaine: "Group Operation
// Assembly Language - a flexible way to express collective communication", ICPP 2009; T. Hoefler,
// T. Schneider, A. Lumsdaine: "LogGOPSim: simulating large-scale applications in the LogGOPS
// model", HPDC 2010. docs/formats.md has the grammar that is read.

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

// MSCCL-XML, the algorithm files of Microsoft's MSCCL: M. Cowan, S. Maleki, M. Musuvathi, O.
// Saarikivi, Y. Xiong: "MSCCLang: Microsoft Collective Communication Language", ASPLOS 2023; as its
// runtime reads them (msccl_parser.cc, msccl_interpreter.h). docs/formats.md has what is read and
// what it is taken to mean.

/// A schedule whose elements are MSCCL's chunks, with the call that the file names, so that it can
/// be verified whole.
///
/// The steps of a thread block run one after the other; a step waits for the step that it depends
/// on. A send hands its chunks to a queue and is done: where they are overwritten later they are
/// copied first, as MSCCL's queues do. The n-th send of a connection (pair, channel) meets its n-th
/// receive. In-place files work on Out, or on Scratch where the result is smaller, and a copy of In
/// comes first.
/// @param file only named in errors
Expected<LoadedSchedule> read_msccl(std::string_view text, const std::string& file);

/// Regular calls of operations that MSCCL knows. One thread block for each peer and direction and
/// one for local steps, on one channel; their orders come from one run of the whole schedule, so
/// that first-in-first-out connections cannot make them wait for each other.
///
/// A chunk is the greatest common divisor of all offsets and lengths. Refused, with the reason: v
/// forms, barrier, scan, exscan, operations that do not commute, empty calls, Compute, and what the
/// verifier's first three steps refuse.
Expected<WrittenSchedule> write_msccl(const schedule::Schedule& schedule);

}  // namespace espalier::formats
