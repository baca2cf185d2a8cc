// espalier export: tuning files for MPI libraries, made by prediction with their own algorithms.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/nearest.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "cli/request.hpp"
#include "launch/command_line.hpp"
#include "topology/machine.hpp"
#include "tuning/formats.hpp"

namespace espalier::cli {
namespace {

struct ExportOptions {
  std::string format;
  std::string machine;
  std::string ranks;
  std::string output;
  std::string library;
  bool block = false;
  bool commutative = false;
  bool json = false;
  bool force = false;
};

/// The folder of --output before the name of a file, for a shell: "tune/"; "" for this one.
std::string folder_in_words(const std::string& output) {
  const std::filesystem::path folder = std::filesystem::path(output).lexically_normal();
  if (folder.empty() || folder == "." || folder == "./") return "";
  return launch::to_text({(folder / "").string()});
}

Expected<tuning::ExportRequest> export_request(const ExportOptions& options) {
  const auto format = tuning::format_named(options.format);
  if (!format) {
    const std::vector<std::string> names = tuning::format_names();
    const std::string near = nearest(options.format, names);
    return Error{
        "FORMAT", fmt::format("there is no format \"{}\"", options.format),
        fmt::format("{}formats are {}", near.empty() ? "" : fmt::format("did you mean {}? ", near),
                    fmt::join(names, ", "))};
  }
  const bool is_mpich = *format == tuning::Format::Mpich;
  if (!is_mpich && !options.library.empty()) {
    return Error{"--library", "is for mpich only", "leave it out"};
  }
  if (is_mpich && options.commutative) {
    return Error{"--commutative", "MPICH's rules know whether operators commute", "leave it out"};
  }
  return tuning::ExportRequest{*format,
                               {!options.commutative, tuning::tuned_operations(*format), {}},
                               options.library,
                               folder_in_words(options.output)};
}

/// The numbers of --ranks but for that of all ranks, which have rules anyhow.
/// @pre ranks >= 2
Expected<std::vector<Rank>> first_ranks(const ExportOptions& options, Rank ranks) {
  if (options.ranks.empty()) return std::vector<Rank>{};
  auto numbers = parse_rank_numbers(options.ranks, ranks);
  if (!numbers) return Error{"--ranks", numbers.error().what, numbers.error().hint};
  std::erase(*numbers, ranks);
  return numbers;
}

/// Makes the folder if it is not there. An error if that fails or one of the files is in the way.
std::optional<Error> why_not_written(const ExportOptions& options, const tuning::Export& made) {
  std::error_code failed;
  if (!std::filesystem::exists(options.output, failed)) {
    std::filesystem::create_directories(options.output, failed);
    if (failed) {
      return Error{options.output, fmt::format("cannot make this folder: {}", failed.message()),
                   "name another"};
    }
  }
  if (!std::filesystem::is_directory(options.output, failed)) {
    return Error{options.output, "is no folder", "name another"};
  }
  for (const tuning::TuningFile& file : made.files) {
    const std::string path = options.output + "/" + file.name;
    if (!options.force && std::filesystem::exists(std::filesystem::symlink_status(path, failed))) {
      return Error{path, "there is such a file", "name another folder, or give --force"};
    }
  }
  return std::nullopt;
}

Outcome write_files(const ExportOptions& options, const tuning::Export& made) {
  if (auto error = why_not_written(options, made)) return Failure{*error};
  for (const tuning::TuningFile& file : made.files) {
    const std::string path = options.output + "/" + file.name;
    if (auto error = replace_named_file(path, file.text)) return Failure{*error, kExitInternal};
  }
  return {};
}

Outcome export_rules(const ExportOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto request = export_request(options);
  if (!request) return Failure{request.error()};
  auto machine = timed_machine_from(options.machine, "--machine");
  if (!machine) return Failure{machine.error()};
  if (machine->size() < 2) {
    return Failure{{"--machine", "one rank has nobody to talk to", "describe two or more"}};
  }
  const auto first = first_ranks(options, machine->size());
  if (!first) return Failure{first.error()};
  request->rules.first = *first;
  if (options.block) {
    machine = topology::with_placement(*machine, topology::block_placement(*machine));
  }
  const auto made = tuning::make_export(*machine, *request);
  if (!made) return Failure{made.error()};
  if (!options.output.empty()) {
    if (Outcome failed = write_files(options, *made)) return failed;
  }
  return write_output(
      "-", options.json ? tuning::export_json(*made) : tuning::export_text(*made, *canvas));
}

constexpr std::string_view kExportDescription =
    "Writes files that make an MPI library take other algorithms of its own, for sites where "
    "nothing may be preloaded. For each collective and size the fastest of the algorithms that the "
    "library lets one select is found by simulation on the machine (by prediction with more than "
    "64 ranks). The report says what that gains, and what is lost against Espalier's library. "
    "--output DIR writes the files, and one that starts the ranks as the machine has them.\n\n"
    "Rules hold for communicators of just as many ranks as the machine has, and of one rank of "
    "each host; all others keep what the library takes itself. --ranks makes rules for other "
    "numbers of ranks too. Each number N stands for ranks 0 to N-1 of the machine, as they lie on "
    "its hosts, host by host with --block.";

constexpr const char* kFormats = "openmpi, openmpi-han, openmpi-json or mpich.";
constexpr std::string_view kExportFormats =
    "openmpi: rules of coll/tuned, for Open MPI 4.1 and 5.\n"
    "openmpi-han: the same, and rules of coll/han, which makes broadcasts, reductions, allreduces "
    "and barriers by hosts where that is faster.\n"
    "openmpi-json: rules of coll/tuned as JSON, for Open MPI 6.\n"
    "mpich: MPICH 4's selection files. They replace all rules of the library, so they begin with "
    "those that are in its file (--library).";

constexpr std::string_view kExportExamples =
    "espalier export openmpi -m \"site:3(10ms,100Mbit/s) proc:4(1us,10Gbit/s)\" --commutative\n"
    "espalier export openmpi -m grid.json --ranks 2,4,8-12\n"
    "espalier export mpich -m grid.json --output tuning";

}  // namespace

Command export_command() {
  Manual manual{.name = "export",
                .tagline = "tuning files for the MPI library itself",
                .synopsis =
                    "export FORMAT --machine MACHINE [--ranks LIST] [--output DIR [--force]] "
                    "[--block] [--commutative] [--library FILE] [--json]",
                .description = std::string(kExportDescription),
                .sections = {{"FORMATS", std::string(kExportFormats)}, machines_section()},
                .examples = std::string(kExportExamples)};
  return {std::move(manual), [](App& app, const Globals& globals) {
            const auto options = std::make_shared<ExportOptions>();
            app.add_option("FORMAT", options->format, kFormats).required();
            app.add_option("-m,--machine", options->machine, "The machine: a file, or a line.")
                .type_name("MACHINE")
                .required();
            app.add_option("--ranks", options->ranks,
                           "Also rules for communicators of so many ranks, the first of the "
                           "machine: 2,4,8 or 2-8. Each number takes as long as all ranks.")
                .type_name("LIST");
            const Option output =
                app.add_option(
                       "-o,--output", options->output,
                       "Write the files into this folder, which is made if it is not there.")
                    .type_name("DIR");
            app.add_flag("--force", options->force, "Replace files that are there.").needs(output);
            app.add_flag("--block", options->block,
                         "Put the ranks in the order of the machine, host by host.");
            app.add_flag("--commutative", options->commutative,
                         "Programs have no operators of their own that do not commute. Open MPI "
                         "only.");
            app.add_option("--library", options->library,
                           "MPICH's library, if it is in no usual place.")
                .type_name("FILE");
            app.add_flag("--json", options->json, "Write the report as JSON (espalier-export-1).");
            return [options, &globals] { return export_rules(*options, globals); };
          }};
}

}  // namespace espalier::cli
