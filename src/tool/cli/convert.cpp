#include <memory>

#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/schedule_files.hpp"

namespace espalier::cli {
namespace {

struct ConvertOptions {
  std::string schedule;
  std::string to = "json";
  std::string output = "-";
};

Outcome convert(const ConvertOptions& options) {
  const auto form = form_from(options.to, "--to");
  if (!form) return Failure{form.error()};
  const auto file = schedule_from(options.schedule, "SCHEDULE");
  if (!file) return Failure{file.error()};
  auto failed = write_schedule(file->loaded.schedule, *form, options.output);
  if (failed && failed->error.where == "schedule") failed->error.where = options.schedule;
  return failed;
}

constexpr std::string_view kConvertDescription =
    "Reads a schedule in one form and writes it in another, so that plans of other tools can be "
    "verified and simulated here, and ours elsewhere. What a form cannot say is refused with the "
    "reason, or told on standard error if it is only left out. Nothing is verified on the way: "
    "espalier verify does that.";

constexpr std::string_view kConvertExamples =
    "espalier convert ring.xml --to json -o ring.json\n"
    "espalier convert plan.json --to goal >plan.goal\n"
    "espalier convert plan.json --to msccl -o plan.xml";

}  // namespace

Command convert_command() {
  Manual manual{.name = "convert",
                .tagline = "a schedule in another form",
                .synopsis = "convert SCHEDULE [--to json|goal|msccl] [-o FILE]",
                .description = std::string(kConvertDescription),
                .sections = {schedules_section()},
                .examples = std::string(kConvertExamples)};
  return {std::move(manual), [](App& app, const Globals&) {
            const auto options = std::make_shared<ConvertOptions>();
            app.add_option("SCHEDULE", options->schedule, "The schedule: see SCHEDULES.");
            app.add_option("-t,--to", options->to, "json, goal or msccl. Default: json.")
                .type_name("FORM");
            app.add_option("-o,--output", options->output,
                           "Write to FILE; - is standard output, which is the default.")
                .type_name("FILE");
            return [options] { return convert(*options); };
          }};
}

}  // namespace espalier::cli
