#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "schedule/schedule.hpp"

namespace espalier::schedule {

/// Ranks of a schedule that is read, from whatever form.
inline constexpr Rank kMaxScheduleRanks = Rank{1} << 24;

/// A schedule from the form "espalier-schedule-1" of docs/formats.md.
///
/// What it accepts can be verified: ids exist, dependencies point back, peers are ranks, and no
/// arithmetic on its sets and regions overflows. Whether slices lie within their buffers, messages
/// pair up and the result is right is the verifier's business. Time and memory are those of the
/// text, whatever its numbers say.
/// @param file only named in errors
Expected<Schedule> read_json(std::string_view text, const std::string& file);

/// The line on which each op stands in a text that read_json() takes, as [rank][op], from 1 on.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> op_lines(std::string_view text);

/// The form "espalier-schedule-1" of docs/formats.md (schema: data/schedule.schema.json), one line
/// an op. read_json() gives back an equal value with an equal hash.
/// @pre set 0 of every program is {0}; dependencies lie in the order of the ops, as ProgramBuilder
///      stores them (else only the hash is equal)
[[nodiscard]] std::string write_json(const Schedule& schedule);

}  // namespace espalier::schedule
