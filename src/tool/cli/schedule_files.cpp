#include "cli/schedule_files.hpp"

#include <fmt/format.h>

#include <optional>

#include "cli/output.hpp"
#include "verify/verify.hpp"

namespace espalier::cli {
namespace {

void tell_notes(const std::string& where, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) write_message(fmt::format("{}: note: {}\n", where, note));
}

std::optional<Error> why_not_simulable(const schedule::Schedule& schedule,
                                       const std::string& where) {
  if (!schedule.call.irregular()) return std::nullopt;
  const verify::Verdict verdict = verify::verify_structure(schedule);
  if (verdict.ok()) return std::nullopt;
  return Error{where, "not a sound schedule: " + to_string(verdict.findings[0]),
               "espalier verify tells all that is wrong with it"};
}

}  // namespace

Expected<formats::FileSchedule> schedule_from(const std::string& argument,
                                              const std::string& where) {
  if (argument.empty()) {
    return Error{where, "no schedule is named", "name a file: JSON, GOAL or MSCCL-XML"};
  }
  auto loaded = formats::load_schedule(argument);
  if (loaded) tell_notes(argument, loaded->loaded.notes);
  return loaded;
}

Expected<formats::FileSchedule> simulable_schedule_from(const std::string& argument,
                                                        const std::string& where) {
  auto file = schedule_from(argument, where);
  if (!file) return file;
  if (auto wrong = why_not_simulable(file->loaded.schedule, where)) return *std::move(wrong);
  return file;
}

Expected<schedule::Schedule> simulable_schedule_of(const std::string& text,
                                                   const std::string& name) {
  auto loaded = formats::parse_schedule(text, name);
  if (!loaded) return loaded.error();
  tell_notes(name, loaded->notes);
  if (auto wrong = why_not_simulable(loaded->schedule, name)) return *std::move(wrong);
  return std::move(loaded->schedule);
}

Expected<formats::Form> form_from(const std::string& name, const std::string& where) {
  if (const auto form = formats::form_named(name)) return *form;
  return Error{where, fmt::format("there is no form \"{}\"", name),
               "it is one of json, goal, msccl"};
}

Outcome write_schedule(const schedule::Schedule& schedule, formats::Form form,
                       const std::string& path) {
  const auto written = formats::write_schedule(schedule, form);
  if (!written) return Failure{written.error()};
  tell_notes(path == "-" ? "standard output" : path, written->notes);
  return write_output(path, written->text);
}

Section schedules_section() {
  return {"SCHEDULES",
          "A schedule is a file, told apart by what is in it:\n\n"
          " json   espalier-schedule-1: a collective and every rank's program\n"
          " goal   GOAL, of LogGOPSim: messages, bytes and waits, without their meaning\n"
          " msccl  MSCCL-XML: a collective in chunks, by GPU and thread block\n\n"
          "espalier plan --schedule FILE writes one. docs/formats.md describes them."};
}

}  // namespace espalier::cli
