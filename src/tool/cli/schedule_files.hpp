#pragma once

#include <string>

#include "base/expected.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "formats/load_schedule.hpp"

namespace espalier::cli {

/// Reads a schedule; what its reader wants to tell goes to standard error.
/// @param where the argument's name, for errors
Expected<formats::FileSchedule> schedule_from(const std::string& argument,
                                              const std::string& where);

/// The same, for a schedule to simulate. V forms must be sound op by op: the simulator follows the
/// length of every block.
Expected<formats::FileSchedule> simulable_schedule_from(const std::string& argument,
                                                        const std::string& where);

/// The same from text. @param name of its file, for errors and notes
Expected<schedule::Schedule> simulable_schedule_of(const std::string& text,
                                                   const std::string& name);

/// "json", "goal" or "msccl". @param where the option's name, for errors
Expected<formats::Form> form_from(const std::string& name, const std::string& where);

/// Writes a schedule to the file, or to standard output for "-"; what is lost in that form goes to
/// standard error.
[[nodiscard]] Outcome write_schedule(const schedule::Schedule& schedule, formats::Form form,
                                     const std::string& path);

/// "SCHEDULES", for the manual.
[[nodiscard]] Section schedules_section();

}  // namespace espalier::cli
