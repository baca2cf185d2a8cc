#include "cli/view_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/placement_file.hpp"
#include "cli/request.hpp"
#include "cli/schedule_files.hpp"
#include "formats/load_schedule.hpp"
#include "overlay/overlay.hpp"
#include "topology/views.hpp"
#include "trace/json.hpp"
#include "view/answers.hpp"

namespace espalier::cli {
namespace {

enum class SubjectKind : std::uint8_t { Machine, Schedule, Trace, Placement };

/// The file that was named, or standard input.
struct SubjectFile {
  std::string name;  ///< name in errors and titles
  std::string text;
};

constexpr std::string_view kSubjects =
    "name a machine, or a file: a machine, a trace of espalier run --trace, a schedule, or a "
    "placement of espalier place --json; - is standard input";
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;  // traces may be long
/// One of them is at the beginning of each large file.
constexpr std::array<std::string_view, 9> kSigns{
    trace::kTraceFormat, kPlacementFormat, "espalier-schedule-", "num_ranks", "<algo",
    "espalier-machine-", "<platform",      "<topology",          "SwitchName"};

/// Nothing if the argument names no file: then it is a line, or the name of an example.
Expected<std::optional<SubjectFile>> read_subject(const std::string& argument) {
  std::error_code error;
  if (argument != "-" && !std::filesystem::exists(argument, error)) {
    return std::optional<SubjectFile>{};
  }
  auto text = read_named_file(argument, {.most = kMostBytes, .takes_pipes = true, .signs = kSigns});
  if (!text) return Error{text.error().where, text.error().what, std::string(kSubjects)};
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{argument == "-" ? "standard input" : argument, "the file is empty",
                 std::string(kSubjects)};
  }
  return std::optional(
      SubjectFile{argument == "-" ? "standard input" : argument, *std::move(text)});
}

SubjectKind kind_of(std::string_view text) {
  constexpr std::size_t kEnough = 4096;
  const std::string_view begin = text.substr(0, kEnough);
  const auto has = [&](std::string_view word) {
    return begin.find(word) != std::string_view::npos;
  };
  // Of any version: who reads it says which it is.
  if (has("espalier-trace-") && !has("espalier-trace-comparison-")) return SubjectKind::Trace;
  if (has("espalier-placement-")) return SubjectKind::Placement;
  const bool is_schedule =
      has("\"espalier-schedule-") || begin.starts_with("num_ranks") || has("<algo");
  return is_schedule ? SubjectKind::Schedule : SubjectKind::Machine;
}

/// Traces may be long; other files are as large as elsewhere.
std::optional<Error> why_too_long(SubjectKind kind, const SubjectFile& file) {
  const std::uint64_t most = kind == SubjectKind::Schedule ? formats::kMaxScheduleBytes
                             : kind == SubjectKind::Trace  ? kMostBytes
                                                           : kMostFileBytes;
  if (file.text.size() <= most) return std::nullopt;
  return Error{file.name, fmt::format("larger than {}", to_string(Bytes{most})),
               kind == SubjectKind::Trace ? "trace a shorter run"
                                          : "take a smaller machine of the same shape"};
}

/// The call of a trace that --call names; else the one with the message that differs most from its
/// simulation. A warm-up call only if no other differs.
Expected<std::size_t> call_of_trace(const trace::Trace& trace, int wanted) {
  if (trace.calls.empty()) {
    return Error{"TRACE", "no planned call was taken down", "espalier run --explain tells why"};
  }
  if (wanted >= 0) {
    if (static_cast<std::size_t>(wanted) < trace.calls.size()) {
      return static_cast<std::size_t>(wanted);
    }
    return Error{"--call", fmt::format("there is no call {}", wanted),
                 fmt::format("calls are 0 to {}", trace.calls.size() - 1)};
  }
  constexpr std::size_t kMostLookedAt = 64;
  std::size_t best = 0;
  std::pair most{false, Time{0}};  // not a warm-up call; by how much it differs
  Progress progress("simulating", std::min(kMostLookedAt, trace.calls.size()),
                    Progress::Told::ByTheClock);
  for (std::size_t c = 0; c < trace.calls.size() && c < kMostLookedAt; ++c, progress.step()) {
    const auto overlay = overlay::overlay_of(trace, c);
    if (!overlay) return overlay.error();
    if (!overlay->largest) continue;
    const std::pair found{!overlay::is_warm_up(trace, c),
                          overlay->pairs[*overlay->largest].excess()};
    if (found <= most) continue;
    most = found;
    best = c;
  }
  return best;
}

std::optional<Error> why_too_large(const topology::Machine& machine, const char* where,
                                   const char* hint) {
  if (machine.size() <= view::kViewedUpTo) return std::nullopt;
  return Error{
      where,
      fmt::format("{} processes; the page shows up to {}", machine.size(), view::kViewedUpTo),
      hint};
}
constexpr const char* kTakeASmallerOne = "take a smaller machine of the same shape";

Expected<view::Subject> subject_of_trace(const ViewOptions& options, const SubjectFile& file) {
  const auto given = {std::pair{"--machine", &options.machine},
                      std::pair{"--operation", &options.operation},
                      std::pair{"--size", &options.size}, std::pair{"--root", &options.root},
                      std::pair{"--algorithm", &options.algorithm}};
  for (const auto& [name, value] : given) {
    if (!value->empty()) return Error{name, "the trace has its own", "leave it out"};
  }
  const auto trace = trace::read_json(file.text, file.name);
  if (!trace) return trace.error();
  const auto call = call_of_trace(*trace, options.call);
  if (!call) return call.error();
  auto overlay = overlay::overlay_of(*trace, *call);
  if (!overlay) return overlay.error();
  if (auto large =
          why_too_large(overlay->machine, "TRACE", "espalier trace tells the same in text")) {
    return *std::move(large);
  }
  const schedule::Collective& ran = overlay->plan.call;
  view::Subject subject{overlay->machine,
                        fmt::format("{}, call {} of {}", trace->program, *call, file.name)};
  subject.first.operation = ran.operation;
  subject.first.size = Bytes{std::max<std::uint64_t>(1, ran.count * ran.element.value)};
  subject.first.root = ran.root;
  subject.first.plan = view::Answers::kMeasured;
  subject.measured = *std::move(overlay);
  return subject;
}

/// The hosts of --machine that the placement uses, each rank where it was put.
Expected<view::Subject> subject_of_placement(const ViewOptions& options, const SubjectFile& file) {
  if (options.machine.empty()) {
    return Error{"--machine", "a placement is shown on the machine that it was made for",
                 "name what espalier place had as --inventory: --machine INVENTORY"};
  }
  auto placed = program_of_placement(file.text, file.name, options.machine);
  if (!placed) return placed.error();
  if (auto large = why_too_large(placed->machine, "PLACEMENT", kTakeASmallerOne)) {
    return *std::move(large);
  }
  view::Subject subject{topology::as_planned(placed->machine), file.name};
  subject.about = std::move(placed->words);
  return subject;
}

Expected<view::Subject> subject_of_schedule(const ViewOptions& options, const SubjectFile& file) {
  if (options.machine.empty()) {
    return Error{"--machine", "a schedule is shown on a machine", "name one: --machine MACHINE"};
  }
  auto machine = timed_machine_from(options.machine, "--machine");
  if (!machine) return machine.error();
  view::Subject subject{topology::as_planned(*machine), options.machine};
  if (auto large = why_too_large(subject.machine, "--machine", kTakeASmallerOne)) {
    return *std::move(large);
  }
  auto schedule = simulable_schedule_of(file.text, file.name);
  if (!schedule) return schedule.error();
  const std::size_t ranks = schedule->programs.size();
  if (ranks != subject.machine.size()) {
    return Error{"--machine",
                 fmt::format("{} processes; the schedule is for {}", subject.machine.size(), ranks),
                 "take a machine of as many processes"};
  }
  subject.schedule = *std::move(schedule);
  const bool says_what = subject.schedule->call.operation != schedule::Operation::Unknown;
  for (const auto& [name, value] :
       {std::pair{"--operation", &options.operation}, std::pair{"--size", &options.size},
        std::pair{"--root", &options.root}}) {
    if (says_what && !value->empty())
      return Error{name, "the schedule has its own", "leave it out"};
  }
  if (!options.algorithm.empty()) {
    return Error{"--algorithm", "the schedule itself is shown",
                 "leave it out: the page lists the other plans"};
  }
  return subject;
}

constexpr const char* kUsualMachine =
    "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)";

/// @param file nothing: the machine is a line, or an example by its name
Expected<view::Subject> subject_of_machine(const ViewOptions& options,
                                           const std::optional<SubjectFile>& file) {
  if (!options.subject.empty() && !options.machine.empty()) {
    return Error{"--machine", "there is a machine to show already",
                 "name the machine once; --machine is for the machine of a schedule"};
  }
  const bool is_option = options.subject.empty() && !options.machine.empty();
  const char* where = is_option ? "--machine" : "MACHINE";
  std::string named = is_option ? options.machine : given_or(options.subject, kUsualMachine);
  if (file) named = file->name;
  auto machine = file ? timed_machine_of(file->text, file->name) : timed_machine_from(named, where);
  if (!machine) return machine.error();
  view::Subject subject{topology::as_planned(*machine), named};
  if (auto large = why_too_large(subject.machine, where, kTakeASmallerOne)) {
    return *std::move(large);
  }
  return subject;
}

}  // namespace

Expected<view::Subject> subject_from(const ViewOptions& options) {
  const auto file = options.subject.empty() ? Expected<std::optional<SubjectFile>>(std::nullopt)
                                            : read_subject(options.subject);
  if (!file) return file.error();
  const SubjectKind kind = *file ? kind_of((*file)->text) : SubjectKind::Machine;
  if (*file) {
    if (auto wrong = why_too_long(kind, **file)) return *std::move(wrong);
  }
  if (options.call >= 0 && kind != SubjectKind::Trace) {
    return Error{"--call", "only a trace has calls", "name a file of espalier run --trace"};
  }
  switch (kind) {
    case SubjectKind::Trace:
      return subject_of_trace(options, **file);
    case SubjectKind::Placement:
      return subject_of_placement(options, **file);
    case SubjectKind::Schedule:
      return subject_of_schedule(options, **file);
    case SubjectKind::Machine:
      break;
  }
  return subject_of_machine(options, *file);
}

}  // namespace espalier::cli
