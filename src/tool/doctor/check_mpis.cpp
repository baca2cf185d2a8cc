#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "doctor/checks.hpp"
#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/launchers.hpp"
#include "launch/own_library.hpp"
#include "launch/program.hpp"

namespace espalier::doctor {
namespace {

namespace fs = std::filesystem;
constexpr const char* kMpisArea = "mpi";

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

Finding check_launcher(const launch::InstalledLauncher& launcher) {
  Finding finding{kMpisArea, Severity::Ok, listed(launcher.names), "", ""};
  const auto mpi =
      launch::mpi_launcher(launcher.file, launch::output_of({launcher.file, "--version"}));
  if (!mpi) {
    finding.level = Severity::Note;
    finding.what =
        fmt::format("{}: a launcher that is neither MPICH's nor Open MPI's", launcher.file);
    finding.cure = "use another, or tell espalier run with --mpi what it is like";
    return finding;
  }
  finding.what = fmt::format("{}, {}", launch::title_of(*mpi), launcher.file);
  if (auto served = launch::served_by(*mpi, launcher.file); !served) {
    finding.level = Severity::Warning;
    finding.what += ": Espalier has no library for this MPI";
    finding.cure = served.error().hint;
  } else if (!mpi->version.empty() && !launch::was_tried(*mpi)) {  // PRRTE's does not tell it
    finding.level = Severity::Note;
    finding.what += ": not tried with Espalier";
    finding.cure = "espalier doctor PROGRAM tells what can be said of a program";
  }
  return finding;
}

/// @return whether it is there and can be loaded
bool check_library(std::string_view library_name, const std::string& serves, Findings& all) {
  const std::string name(library_name);
  auto file = launch::find_library(name, "");
  if (!file) {
    all.push_back(
        {kMpisArea, Severity::Warning, name, fmt::format("not there: {} cannot be served", serves),
         fmt::format("build it (make) or install it; it would be {}", file.error().where)});
    return false;
  }
  auto library = launch::look_at_library(*file);
  if (!library) {
    all.push_back(
        {kMpisArea, Severity::Problem, name, library.error().what, "build it again (make)"});
    return false;
  }
  for (const launch::Library& needed : library->libraries) {
    if (!needed.file.empty() || needed.name == launch::kLibrary) continue;
    all.push_back({kMpisArea, Severity::Problem, name,
                   fmt::format("{} needs {}, which the loader does not find", *file, needed.name),
                   fmt::format("install {}, or set LD_LIBRARY_PATH", needed.name)});
    return false;
  }
  if (!library->mpis.empty()) {
    all.push_back({kMpisArea, Severity::Problem, name,
                   fmt::format("{} is linked with {}: it would load a second MPI", *file,
                               library->mpis.front().soname),
                   "build it again (make)"});
    return false;
  }
  all.push_back({kMpisArea, Severity::Ok, name, fmt::format("{}; for {}", *file, serves), ""});
  return true;
}

}  // namespace

Findings check_mpis(const Environment& environment) {
  Findings all;
  const auto launchers = launch::launchers_in(value_of(environment, "PATH"));
  for (const launch::InstalledLauncher& launcher : launchers)
    all.push_back(check_launcher(launcher));
  if (launchers.empty()) {
    all.push_back({kMpisArea, Severity::Problem, "mpiexec", "no MPI has a launcher in PATH",
                   "install one (Debian: mpich or openmpi-bin), or add its folder to PATH"});
  }
  const bool is_there = check_library(launch::kLibrary, "programs of every MPI", all);
  bool one_serves = false;
  for (const launch::Variant& one : launch::kVariants) {
    one_serves = check_library(one.file, std::string(one.serves), all) || one_serves;
  }
  if (!is_there || !one_serves) {
    all.push_back({kMpisArea, Severity::Problem, "libraries",
                   "none of Espalier's libraries can be loaded",
                   "build them (make) or install them, all in one folder"});
  }
  return all;
}

}  // namespace espalier::doctor
