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
using launch::Mpi;

constexpr const char* kMpisArea = "mpi";

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

Finding check_launcher(const launch::InstalledLauncher& launcher) {
  Finding finding{kMpisArea, Level::Ok, listed(launcher.names), "", ""};
  const auto mpi =
      launch::mpi_launcher(launcher.file, launch::output_of({launcher.file, "--version"}));
  if (!mpi) {
    finding.level = Level::Note;
    finding.what =
        fmt::format("{}: a launcher that is neither MPICH's nor Open MPI's", launcher.file);
    finding.cure = "use another, or tell espalier run with --mpi what it is like";
    return finding;
  }
  finding.what = fmt::format("{}, {}", launch::title_of(*mpi), launcher.file);
  if (auto served = launch::served_by(*mpi, launcher.file); !served) {
    finding.level = Level::Warning;
    finding.what += ": Espalier has no library for this MPI";
    finding.cure = served.error().hint;
  }
  return finding;
}

/// @return whether it is there and can be loaded
bool check_library(Mpi mpi, Findings& all) {
  const std::string name(launch::library_of(mpi));
  auto file = launch::find_library(name, "", mpi);
  if (!file) {
    all.push_back(
        {kMpisArea, Level::Warning, name,
         fmt::format("not there: programs of {} cannot be served", launch::name_of(mpi)),
         fmt::format("build it (make) or install it; it would be {}", file.error().where)});
    return false;
  }
  auto library = launch::look_at_library(*file);
  if (!library) {
    all.push_back({kMpisArea, Level::Problem, name, library.error().what, "build it again (make)"});
    return false;
  }
  for (const launch::Library& needed : library->libraries) {
    if (!needed.file.empty()) continue;
    all.push_back({kMpisArea, Level::Note, name,
                   fmt::format("{} needs {}, which the loader does not find", *file, needed.name),
                   fmt::format("install {}, or set LD_LIBRARY_PATH, if you have programs of it",
                               launch::name_of(mpi))});
    return false;
  }
  if (library->mpis.empty()) {
    all.push_back({kMpisArea, Level::Problem, name, *file + ": it is linked with no MPI",
                   "build it again (make)"});
    return false;
  }
  const launch::SomeMpi& with = library->mpis.front();
  auto served = launch::served_by(with, name);
  const bool is_right = served && *served == mpi;
  all.push_back({kMpisArea, is_right ? Level::Ok : Level::Problem, name,
                 fmt::format("{}; loads {}, {}", *file, launch::title_of(with), with.file),
                 is_right ? "" : "another MPI comes first: check LD_LIBRARY_PATH"});
  return is_right;
}

}  // namespace

Findings check_mpis(const Environment& environment) {
  Findings all;
  const auto launchers = launch::launchers_in(value_of(environment, "PATH"));
  for (const launch::InstalledLauncher& launcher : launchers)
    all.push_back(check_launcher(launcher));
  if (launchers.empty()) {
    all.push_back({kMpisArea, Level::Problem, "mpiexec", "no MPI has a launcher in PATH",
                   "install one (Debian: mpich or openmpi-bin), or add its folder to PATH"});
  }
  bool one_serves = false;
  for (const Mpi mpi : {Mpi::Mpich, Mpi::OpenMpi}) {
    one_serves = check_library(mpi, all) || one_serves;
  }
  if (!one_serves) {
    all.push_back({kMpisArea, Level::Problem, "libraries",
                   "none of Espalier's libraries can be loaded",
                   "build them (make) or install them, beside an MPI that they are for"});
  }
  return all;
}

}  // namespace espalier::doctor
