#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "doctor/checks.hpp"
#include "launch/ask.hpp"
#include "launch/mpi_kind.hpp"
#include "launch/own_library.hpp"
#include "launch/program.hpp"

namespace espalier::doctor {
namespace {

constexpr const char* kCommandsArea = "commands";

/// A file that a command looks for when it runs.
struct NeededFile {
  std::string_view name;
  std::string_view command;
};
constexpr std::array kNeededLibraries{
    NeededFile{launch::kRecorder, "espalier run --profile"},
    NeededFile{"libespalier-profile-mpich.so", "espalier run --profile under MPICH"},
    NeededFile{"libespalier-profile-openmpi.so", "espalier run --profile under Open MPI"},
    NeededFile{"libespalier-profile-mpiabi.so", "espalier run --profile under the standard's ABI"},
    NeededFile{"libespalier-lab-shim.so", "espalier lab run"}};
constexpr std::array kNeededPrograms{
    NeededFile{"espalier-discover.mpich", "espalier discover under MPICH"},
    NeededFile{"espalier-discover.openmpi", "espalier discover under Open MPI"},
    NeededFile{"espalier-measure.mpich", "espalier bench under MPICH"},
    NeededFile{"espalier-measure.openmpi", "espalier bench under Open MPI"}};

/// Programs of the recorded experiments and of the league: built from the sources, never installed.
constexpr std::array kSourceFamilies{NeededFile{"espalier-groups", "reproduce langer --on lab"},
                                     NeededFile{"espalier-split", "reproduce langer --on lab"},
                                     NeededFile{"espalier-trees", "reproduce banikazemi --on lab"},
                                     NeededFile{"espalier-npb-lu", "reproduce park --on lab"},
                                     NeededFile{"espalier-npb-mg", "reproduce park --on lab"},
                                     NeededFile{"espalier-npb-is", "reproduce park --on lab"},
                                     NeededFile{"espalier-npb-ep", "reproduce park --on lab"}};
constexpr std::array kSmpiPrograms{NeededFile{"smpi_times", "bench --on smpi"},
                                   NeededFile{"smpi_groups", "reproduce langer --on smpi"}};

Finding missing(const NeededFile& needed, const std::string& where) {
  return {kCommandsArea, Severity::Warning, std::string(needed.name),
          fmt::format("not there: {} does not work", needed.command),
          fmt::format("build it (make) or install it; it would be {}", where)};
}

Finding check_needed_library(const NeededFile& needed) {
  const auto file = launch::find_library(needed.name, "");
  if (!file) return missing(needed, file.error().where);
  if (const auto library = launch::look_at_library(*file); !library) {
    return {kCommandsArea, Severity::Warning, std::string(needed.name),
            fmt::format("{}: {} does not work", library.error().what, needed.command),
            "build it again (make)"};
  }
  return {kCommandsArea, Severity::Ok, std::string(needed.name),
          fmt::format("{}; for {}", *file, needed.command), ""};
}

Finding check_program_beside(const NeededFile& needed, const std::filesystem::path& folder) {
  const std::string file = (folder / needed.name).string();
  if (launch::find_program(file, ".", "").empty()) return missing(needed, file);
  return {kCommandsArea, Severity::Ok, std::string(needed.name),
          fmt::format("{}; for {}", file, needed.command), ""};
}

bool is_program(const std::filesystem::path& file) {
  return !launch::find_program(file.string(), ".", "").empty();
}

/// What can only be there in a tree that was built from the sources: not having it is no fault.
Finding check_of_sources(const std::string& subject, const std::filesystem::path& file,
                         std::string_view command, const char* needs) {
  if (is_program(file)) {
    return {kCommandsArea, Severity::Ok, subject,
            fmt::format("{}; for espalier {}", file.string(), command), ""};
  }
  return {kCommandsArea, Severity::Note, subject,
          fmt::format("not there: espalier {} does not work", command),
          fmt::format("it is built from the sources{}: make check, then build/release/bin/espalier "
                      "there",
                      needs)};
}

/// What is not there, in one note: who asks about a program of theirs wants none of it.
Findings folded(Findings all) {
  const auto is_missing = [](const Finding& one) { return one.level == Severity::Note; };
  const auto missing = std::count_if(all.begin(), all.end(), is_missing);
  if (missing == 0) return all;
  std::erase_if(all, is_missing);
  all.push_back({kCommandsArea, Severity::Note, "experiments",
                 fmt::format("{} programs are not there for espalier reproduce --on lab or smpi, "
                             "and bench --on smpi; other programs do not need them",
                             missing),
                 "they are built from the sources: make check; espalier doctor without a program "
                 "names them"});
  return all;
}

Findings check_experiments(const std::filesystem::path& tool) {
  Findings all;
  for (const NeededFile& family : kSourceFamilies) {
    for (const char* mpi : {"mpich", "openmpi"}) {
      const std::string name = fmt::format("{}.{}", family.name, mpi);
      all.push_back(
          check_of_sources(name, tool / name, fmt::format("{} --mpi {}", family.command, mpi), ""));
    }
  }
  for (const NeededFile& program : kSmpiPrograms) {
    all.push_back(check_of_sources(std::string(program.name),
                                   tool.parent_path() / "smpi" / program.name, program.command,
                                   ", with SimGrid (Debian: libsimgrid-dev)"));
  }
  return all;
}

}  // namespace

Findings check_commands(const Environment& environment, Asked asked) {
  Findings all;
  for (const NeededFile& needed : kNeededLibraries) all.push_back(check_needed_library(needed));
  std::error_code error;
  const auto tool = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const NeededFile& needed : kNeededPrograms) {
    all.push_back(check_program_beside(needed, tool));
  }
  const Findings experiments = check_experiments(tool);
  append(all, asked == Asked::AboutPrograms ? folded(experiments) : experiments);
  if (launch::find_program("smpirun", ".", value_of(environment, "PATH")).empty()) {
    all.push_back({kCommandsArea, Severity::Note, "smpirun",
                   "not in PATH: espalier bench --on smpi and reproduce --on smpi do not work",
                   "install SimGrid (Debian: simgrid), if you want it"});
  }
  return all;
}

}  // namespace espalier::doctor
