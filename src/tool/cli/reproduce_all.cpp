#include "cli/reproduce_all.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/progress.hpp"
#include "cli/data_folder.hpp"
#include "cli/run.hpp"
#include "reproduce/report.hpp"
#include "reproduce/stored_run.hpp"

namespace espalier::cli {

std::string day_of(std::time_t when) {
  std::tm parts{};
  gmtime_r(&when, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

namespace {

namespace fs = std::filesystem;
using reproduce::Paper;
using reproduce::PaperPart;
using reproduce::ReportedPart;

std::optional<Error> make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return std::nullopt;
  return Error{"--folder", fmt::format("\"{}\" cannot be made: {}", folder, error.message()),
               "name a folder that you may write to"};
}

std::string name_of_part(const Paper& paper, const PaperPart& part) {
  return fmt::format("{}-{}.json", paper.key, part.key);
}

std::string exhibit_command(const Paper& paper, const PaperPart& part,
                            const reproduce::PaperOptions& sizes, bool quick) {
  return fmt::format("espalier reproduce {} --part {} --seed {}{}", paper.key, part.key, sizes.seed,
                     quick ? " --quick" : "");
}

/// Version and build of this tool: another build may come to other figures under the same version.
std::string made_by() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const auto bytes = read_named_file(self.string(), {.takes_binary = true});
  if (!bytes) return version_line();
  return fmt::format("{}, build {:016x}", version_line(), std::hash<std::string>{}(*bytes));
}

/// A part that an earlier run left, if it is what this one would make.
std::optional<ReportedPart> kept_part(const std::string& file, const std::string& command,
                                      const std::string& tool) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  const auto text = read_named_file(file, {.refuses_foreign = true});
  if (!text) return std::nullopt;
  auto part = reproduce::part_from_text(*text, file);
  if (!part || part->version != tool || part->command != command) return std::nullopt;
  return *std::move(part);
}

/// Runs that were named, or those that come with the tool.
Expected<std::vector<ReportedPart>> measured_parts(const std::vector<std::string>& named) {
  std::vector<std::string> files = named;
  if (files.empty()) {
    for (const fs::path& file : json_files(data_folder("lab-runs"))) files.push_back(file.string());
  }
  std::vector<ReportedPart> parts;
  for (const std::string& file : files) {
    const auto text = read_named_file(file, {.refuses_foreign = true});
    if (!text) return text.error();
    auto stored = reproduce::stored_parts(*text, file);
    if (!stored) return stored.error();
    parts.insert(parts.end(), stored->begin(), stored->end());
  }
  return parts;
}

/// Those of the folder, and what is missing there.
Expected<std::vector<ReportedPart>> computed_parts(const ReportOptions& options,
                                                   const reproduce::PaperOptions& sizes) {
  using Clock = std::chrono::steady_clock;
  const std::string tool = made_by();
  std::size_t count = 0;
  for (const Paper& paper : reproduce::papers()) count += paper.parts.size();
  std::vector<ReportedPart> parts;
  const auto interrupted = [&] {
    return Error{"reproduce all",
                 fmt::format("interrupted; {} of {} exhibits are in {}", parts.size(), count,
                             options.folder),
                 "the same command goes on from there"};
  };
  Progress progress("reproducing", count, Progress::Told::WhenDone, ProgressParts::Unequal);
  for (const Paper& paper : reproduce::papers()) {
    for (const PaperPart& part : paper.parts) {
      if (Interruptible::is_interrupted()) return interrupted();
      progress.name(fmt::format("reproducing {} {}", paper.key, part.key));
      const std::string file = options.folder + "/" + name_of_part(paper, part);
      const std::string command = exhibit_command(paper, part, sizes, options.quick);
      auto made = kept_part(file, command, tool);
      if (!made) {
        const auto begin = Clock::now();
        const reproduce::Exhibit exhibit = part.run(sizes);
        // Simulations that were interrupted have left predictions in their place.
        if (Interruptible::is_interrupted()) return interrupted();
        ReportedPart about;
        about.paper = paper.key;
        about.key = part.key;
        about.command = command;
        about.date = day_of(std::time(nullptr));
        about.version = tool;
        about.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        made = reported(exhibit, std::move(about));
        if (auto wrong = replace_named_file(file, to_text(*made))) return *wrong;
      }
      parts.push_back(*std::move(made));
      progress.step();
    }
  }
  return parts;
}

/// Files of these names that are not of an earlier report stay as they are, and so does what others
/// put into a folder that everybody writes to.
std::optional<Error> why_no_report_goes_there(const std::string& folder) {
  constexpr std::uint64_t kBeginning = 4096;
  std::vector<std::pair<std::string, std::string_view>> ours{
      {"/index.html", "<title>Espalier: papers reproduced"}, {"/report.json", "espalier-report-1"}};
  for (const Paper& paper : reproduce::papers()) {
    for (const PaperPart& part : paper.parts) {
      ours.emplace_back("/" + name_of_part(paper, part), "espalier-reproduce-part-");
    }
  }
  for (const auto& [name, sign] : ours) {
    std::error_code error;
    const std::string file = folder + name;
    if (auto foreign = why_foreign(file)) return foreign;
    if (!fs::exists(file, error) || fs::file_size(file, error) == 0) continue;
    if (beginning_of_file(file, kBeginning).find(sign) != std::string::npos) continue;
    return Error{file, "there is such a file, and it is of no report of ours",
                 "name another folder: --folder FOLDER"};
  }
  return std::nullopt;
}

}  // namespace

Outcome reproduce_all(const ReportOptions& options, const reproduce::PaperOptions& sizes) {
  if (auto wrong = make_folder(options.folder)) return Failure{*wrong};
  if (auto wrong = why_no_report_goes_there(options.folder)) return Failure{*wrong};
  const auto measured = measured_parts(options.measured);  // a file that is wrong is told first
  if (!measured) return Failure{measured.error()};
  const Interruptible interruptible;
  auto parts = computed_parts(options, sizes);
  if (!parts) {
    return Failure{parts.error(), Interruptible::is_interrupted() ? kExitInterrupted : kExitUsage};
  }
  const std::vector<ReportedPart> all = reproduce::arranged(*std::move(parts), *measured);
  const std::string page = options.folder + "/index.html";
  const std::string json = reproduce::report_json(all);
  if (auto failed = replace_output(page, report_html(all))) return failed;
  if (auto failed = replace_output(options.folder + "/report.json", json)) return failed;
  return write_output("-", options.json ? json : page + "\n");
}

}  // namespace espalier::cli
