#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "doctor/calls.hpp"
#include "doctor/checks.hpp"
#include "doctor/lost_preload.hpp"
#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/inside.hpp"
#include "launch/own_library.hpp"
#include "launch/program.hpp"
#include "launch/python.hpp"

namespace espalier::doctor {
namespace {

constexpr const char* kProgramArea = "program";

class Report {
 public:
  explicit Report(std::string name) : name_(std::move(name)) {}
  void add(Severity level, std::string what, std::string cure = "") {
    all_.push_back({kProgramArea, level, name_, std::move(what), std::move(cure)});
  }
  void add(const Error& error) {
    const bool is_own = error.where == name_ || launch::file_name(error.where) == name_;
    add(Severity::Problem, is_own ? error.what : error.where + ": " + error.what, error.hint);
  }
  Findings take() { return std::move(all_); }

 private:
  std::string name_;
  Findings all_;
};

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// The program's and those of its libraries that call MPI themselves.
std::vector<std::string> symbols_of(const launch::Program& program) {
  std::vector<std::string> all = launch::read_symbols(program.file).wanted;
  for (const launch::Library& library : program.libraries) {
    if (library.file.empty() ||
        starts_with_any(library.name, {"libmpi", "libopen-", "libespalier", "libc.", "ld-"})) {
      continue;
    }
    const auto elf = launch::read_elf(library.file);
    const bool calls_mpi =
        elf && *elf &&
        std::any_of((*elf)->needed.begin(), (*elf)->needed.end(),
                    [](const std::string& n) { return n.starts_with("libmpi"); });
    if (!calls_mpi) continue;
    const auto more = launch::read_symbols(library.file).wanted;
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

const char* how_to_plan(runtime::Reason reason) {
  if (reason == runtime::Reason::NonBlocking) {
    return "they are planned once blocking calls of their kind were, on their communicator: over "
           "far "
           "links, where that is measured to gain; with ESPALIER_NONBLOCKING=1 everywhere. Never "
           "with "
           "MPI_THREAD_MULTIPLE, nor without such blocking calls";
  }
  return reason == runtime::Reason::Persistent
             ? "ESPALIER_NONBLOCKING=1 plans them, except with MPI_THREAD_MULTIPLE"
             : "";
}

void tell_calls(const launch::Program& program, Report& report) {
  const Calls calls = calls_among(symbols_of(program));
  if (!calls.planned.empty()) {
    report.add(Severity::Ok, fmt::format("can be planned: {}", fmt::join(calls.planned, ", ")));
  }
  for (const auto& [reason, names] : calls.native) {
    const std::string kind = reason == runtime::Reason::NonBlocking
                                 ? "non-blocking, native at first"
                                 : fmt::format("native, {}", runtime::name_of(reason));
    report.add(Severity::Note, fmt::format("{}: {}", kind, fmt::join(names, ", ")),
               how_to_plan(reason));
  }
  if (!calls.hidden.empty()) {
    report.add(
        Severity::Note,
        fmt::format("native, called by their second names: {}", fmt::join(calls.hidden, ", ")),
        "call MPI_ functions instead of PMPI_ ones to have them planned");
  }
  if (calls.planned.empty() && calls.native.empty() && calls.hidden.empty()) {
    report.add(Severity::Note,
               "it calls no collective itself: nothing can be planned, unless it loads "
               "other code later");
  }
}

void tell_libraries(const launch::Program& program, Report& report) {
  for (const launch::Library& library : program.libraries) {
    if (library.file.empty() && program.libraries.size() > program.elf->needed.size()) {
      report.add(Severity::Problem, fmt::format("the loader does not find {}", library.name),
                 "install it, or add its folder to LD_LIBRARY_PATH");
    }
    if (const auto tool = tool_named(library.name)) {
      report.add(Severity::Note, fmt::format("linked with {} ({})", *tool, library.name),
                 "it sees native calls; planned ones only if it comes before Espalier's library");
    }
    if (starts_with_any(library.name, {"libasan.", "libclang_rt.asan", "libtsan."})) {
      report.add(Severity::Warning,
                 fmt::format("{} wants to be loaded before all other libraries", library.name),
                 starts_with_any(library.name, {"libtsan."})
                     ? "run it without that sanitizer"
                     : "set ASAN_OPTIONS=verify_asan_link_order=0");
    }
  }
  const bool is_fortran = std::any_of(
      program.libraries.begin(), program.libraries.end(), [](const launch::Library& library) {
        return starts_with_any(library.name, {"libmpichfort.", "libmpi_mpifh.", "libmpi_usempi"});
      });
  if (is_fortran) report.add(Severity::Ok, "calls MPI from Fortran, which is served as C is");
}

void tell_mpi(const launch::Program& program, Report& report) {
  for (const launch::SomeMpi& mpi : program.mpis) {
    auto served = launch::served_by(mpi, program.file);
    if (!served) {
      report.add(served.error());
      continue;
    }
    report.add(Severity::Ok, fmt::format("linked with {}, {}", launch::title_of(mpi), mpi.file));
    if (!launch::was_tried(mpi)) {
      report.add(
          Severity::Note,
          fmt::format("{} was not tried with Espalier: it is served as {} is, if it passes a "
                      "test in MPI_Init",
                      launch::title_of(mpi), launch::name_of(*served)),
          "ESPALIER_EXPLAIN=1 tells whether its calls are planned");
    }
    for (const std::string_view name : {launch::kLibrary, launch::variant_for(mpi).file}) {
      if (const auto ours = launch::find_library(name, ""); !ours) report.add(ours.error());
    }
  }
}

/// What to do for a program of a Python that has no mpi4py.
std::string other_python(const std::string& program, const std::string& path) {
  const auto other = launch::python_with_mpi4py(path);
  if (!other) {
    return fmt::format(
        "install it for this Python, or name another: espalier run -- mpiexec -n 4 "
        "/opt/python/bin/python3 {}",
        program);
  }
  const auto library = launch::look_at_library(other->module);
  const bool is_told = library && !library->mpis.empty();
  return fmt::format("{} has it{}: espalier run -- mpiexec -n 4 {} {}", other->python,
                     is_told ? fmt::format(" ({})", launch::title_of(library->mpis.front())) : "",
                     other->python, program);
}

/// What a Python program would load.
/// @param program the program's name as the user has it
void tell_python(const std::string& python, const std::string& program,
                 const launch::CommandContext& context, Report& report) {
  const std::string file = launch::find_program(python, ".", context.path);
  const auto module = file.empty() ? std::nullopt : launch::mpi4py_of(file, context.path);
  if (!module) {
    report.add(Severity::Warning, fmt::format("{} has no mpi4py", file.empty() ? python : file),
               other_python(program, context.path));
    return;
  }
  auto library = launch::look_at_library(*module);
  if (!library) {
    report.add(library.error());
    return;
  }
  report.add(Severity::Ok, fmt::format("loads MPI through mpi4py, {}", *module));
  tell_mpi(*library, report);
}

void tell_binary(const launch::Program& program, Report& report) {
  if (auto wrong = launch::why_no_preload(program)) {
    report.add(*wrong);
    return;
  }
  tell_libraries(program, report);
  if (program.mpis.empty()) {
    report.add(Severity::Note, "not linked with an MPI",
               "if it loads one later, as Python does, espalier run takes the launcher's library");
    return;
  }
  if (program.mpis.size() > 1) {
    if (auto mpi = launch::mpi_of(program); !mpi) report.add(mpi.error());
    return;
  }
  tell_mpi(program, report);
  if (launch::served_by(program.mpis.front(), program.file)) tell_calls(program, report);
}

/// @param may_run it is executable; shells and sbatch take others too
void tell_script(const std::string& name, const std::string& file, bool may_run,
                 const launch::CommandContext& context, Report& report) {
  const std::string text = launch::text_of(file);
  auto used = may_run ? launch::mpi_of_command({file}, context)
                      : launch::mpi_of_script(text, file, context);
  if (const auto lost = lost_preload(text)) {
    report.add(
        Severity::Warning,
        fmt::format("line {}, \"{}\": what is started so gets no library", lost->line, lost->words),
        "leave LD_PRELOAD as it is, or hand its value on");
  }
  if (!used) {
    report.add(used.error());
  } else if (*used) {
    const bool is_batch = text.find("\n#SBATCH") != std::string::npos;
    report.add(
        Severity::Ok,
        fmt::format("a script that uses {} ({})", launch::name_of((*used)->mpi), (*used)->who),
        fmt::format("run it with: espalier run -- {}{}",
                    is_batch  ? "sbatch "
                    : may_run ? ""
                              : "sh ",
                    name));
  } else if (!may_run) {
    report.add(Severity::Problem, "it may not be run by you", "chmod +x " + name);
  } else {
    report.add(
        Severity::Note, "a script; which MPI it uses cannot be seen",
        fmt::format("name the programs that it runs, or say espalier run --mpi for {}", name));
  }
}

/// A program of Python that does not name mpi4py may have it through others.
void tell_python_script(const std::string& file, const std::string& python,
                        const launch::CommandContext& context, Report& report) {
  if (launch::text_of(file).find("mpi4py") != std::string::npos) {
    tell_python(python, file, context, report);
  } else {
    report.add(Severity::Note, "a program of Python that does not name mpi4py",
               "if it loads MPI all the same, espalier run takes the launcher's library");
  }
}

/// mpiexec and its like start programs, and are none that could be planned. A file of that name
/// that stands elsewhere is not run.
void tell_launcher(const std::string& name, const std::string& file, const std::string& path,
                   Report& report) {
  const auto mpi = launch::is_in_path(file, path)
                       ? launch::mpi_launcher(file, launch::output_of({file, "--version"}))
                       : std::nullopt;
  report.add(
      Severity::Note,
      mpi ? fmt::format("the launcher of {}: it starts programs, and calls no collective",
                        launch::title_of(*mpi))
          : std::string("a launcher: it starts programs, and calls no collective"),
      fmt::format("name the program: espalier doctor ./program; it is run by espalier run -- "
                  "{} -n 4 ./program",
                  launch::file_name(name)));
}

bool begins_like_program(const std::string& file) {
  const std::string text = beginning_of_file(file, 4);
  return text ==
             "\x7f"
             "ELF" ||
         text.starts_with("#!");
}

}  // namespace

Findings check_program(const std::string& name, const Environment& environment) {
  Report report(name.empty() ? "\"\"" : name);
  if (name.empty()) {
    report.add(Severity::Problem, "no program is named", "is a variable not set?");
    return report.take();
  }
  const launch::CommandContext context{".", value_of(environment, "PATH")};
  const std::string file = launch::find_program(name, ".", context.path);
  std::error_code error;
  const bool is_there = std::filesystem::is_regular_file(name, error);
  if (file.empty() && is_there && name.ends_with(".py")) {
    tell_python_script(name, "python3", context, report);
    return report.take();
  }
  if (std::filesystem::is_directory(name, error)) {
    report.add(Severity::Problem, "it is a folder", "name a program that is in it");
    return report.take();
  }
  if (is_there && !begins_like_program(name)) {
    report.add(Severity::Problem, "it is no program: neither ELF nor a script that begins with #!",
               "name the program itself, as it would be typed");
    return report.take();
  }
  if (file.empty() && is_there && beginning_of_file(name, 2) == "#!") {
    tell_script(name, name, /*may_run=*/false, context, report);
    return report.take();
  }
  if (file.empty()) {
    report.add(
        Severity::Problem, is_there ? "it may not be run by you" : "there is no such program",
        is_there                              ? "chmod +x " + name
        : name.find('/') == std::string::npos ? "write ./" + name + " if it is in this folder"
                                              : "check its name");
    return report.take();
  }
  if (launch::is_launcher_name(name)) {
    tell_launcher(name, file, context.path, report);
    return report.take();
  }
  auto program = launch::look_at_program(file);
  if (!program) {
    report.add(program.error());
  } else if (launch::is_python(name)) {
    tell_python(name, "program.py", context, report);
  } else if (program->elf) {
    tell_binary(*program, report);
  } else if (launch::is_python(program->interpreter)) {
    tell_python_script(file, program->interpreter, context, report);
  } else {
    tell_script(name, file, /*may_run=*/true, context, report);
  }
  return report.take();
}

}  // namespace espalier::doctor
