#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "formats/loaded_schedule.hpp"

namespace espalier::formats {

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
};
inline constexpr std::uint64_t kMaxScheduleBytes = std::uint64_t{64} << 20U;
Expected<FileSchedule> load_schedule(const std::string& path);

Expected<WrittenSchedule> write_schedule(const schedule::Schedule& schedule, Form form);

}  // namespace espalier::formats
