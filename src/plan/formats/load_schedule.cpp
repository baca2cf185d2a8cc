#include "formats/load_schedule.hpp"

#include <array>

#include "base/file.hpp"
#include "schedule/json.hpp"

namespace espalier::formats {
namespace {

constexpr std::array<std::string_view, 3> kNames{"json", "goal", "msccl"};
constexpr const char* kKinds =
    "a schedule is a file: espalier-schedule-1 (JSON), GOAL or MSCCL-XML; - is standard input";
/// One of them is at the beginning of each large file.
constexpr std::array<std::string_view, 3> kSigns{"espalier-schedule-", "num_ranks", "<algo"};

}  // namespace

std::string_view name_of(Form form) { return kNames[static_cast<std::size_t>(form)]; }

std::optional<Form> form_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Form>(i);
  }
  return std::nullopt;
}

Form form_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Form::Json;
  if (text[first] == '{') return Form::Json;
  return text[first] == '<' ? Form::Msccl : Form::Goal;
}

Expected<LoadedSchedule> parse_schedule(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return Error{file, "the file is empty", kKinds};
  }
  switch (form_of(text)) {
    case Form::Goal:
      if (text.find("num_ranks") == std::string_view::npos) {
        return Error{file, "neither JSON nor GOAL (\"num_ranks N\" at its beginning) nor MSCCL-XML",
                     kKinds};
      }
      return read_goal(text, file);
    case Form::Msccl:
      return read_msccl(text, file);
    case Form::Json:
      break;
  }
  auto schedule = schedule::read_json(text, file);
  if (!schedule) return schedule.error();
  return LoadedSchedule{*std::move(schedule), {}};
}

Expected<FileSchedule> load_schedule(const std::string& path) {
  auto text =
      read_named_file(path, {.most = kMaxScheduleBytes, .takes_pipes = true, .signs = kSigns});
  if (!text) {
    const bool is_large = text.error().what.starts_with("larger");
    return Error{text.error().where, text.error().what,
                 is_large ? "is this a schedule? Take fewer ranks or larger segments" : kKinds};
  }
  auto loaded = parse_schedule(*text, path == "-" ? "standard input" : path);
  if (!loaded) return loaded.error();
  const Form form = form_of(*text);
  return FileSchedule{form, *std::move(loaded), *std::move(text)};
}

Expected<WrittenSchedule> write_schedule(const schedule::Schedule& schedule, Form form) {
  switch (form) {
    case Form::Goal:
      return write_goal(schedule);
    case Form::Msccl:
      return write_msccl(schedule);
    case Form::Json:
      break;
  }
  return WrittenSchedule{schedule::write_json(schedule), {}};
}

}  // namespace espalier::formats
