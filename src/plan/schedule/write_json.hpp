#pragma once

#include <string>

#include "schedule/schedule.hpp"

namespace espalier::schedule {

/// The form "espalier-schedule-1" of docs/formats.md (schema: data/schedule.schema.json), one line
/// an op. read_json() gives back an equal value with an equal hash.
/// @pre set 0 of every program is {0}; dependencies lie in the order of the ops, as ProgramBuilder
///      stores them (else only the hash is equal)
[[nodiscard]] std::string write_json(const Schedule& schedule);

}  // namespace espalier::schedule
