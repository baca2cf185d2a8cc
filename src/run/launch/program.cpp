#include "launch/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "base/file.hpp"
#include "launch/ask.hpp"
#include "launch/elf.hpp"

namespace espalier::launch {
namespace {

/// "#!/usr/bin/env -S python3 -u" -> "python3"
std::string interpreter_of_script(const std::string& file) {
  const std::string line = beginning_of_file(file, 256);
  if (!line.starts_with("#!")) return "";
  std::istringstream words(line.substr(2, line.find('\n') - 2));
  std::string word;
  words >> word;
  if (file_name(word) != "env") return word;
  while (words >> word && (word.starts_with('-') || word.find('=') != std::string::npos)) {
  }
  return word;
}

/// The loader ignores LD_PRELOAD where running the file gives other rights than one has. (To root
/// a file of root gives none.)
bool gives_rights(const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return false;
  const bool other_user = (info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid();
  const bool other_group = (info.st_mode & S_ISGID) != 0 && info.st_gid != getegid();
  const bool is_root = geteuid() == 0;
  return other_user || other_group ||
         (!is_root && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0);
}

constexpr const char* kLinkShared =
    "link it with the shared library of its MPI, or write tuning files for that MPI with espalier "
    "export";

std::uint16_t own_machine() {
  static const std::uint16_t kOwn = [] {
    const auto own = read_elf("/proc/self/exe");
    return own && *own ? (*own)->machine : std::uint16_t{0};
  }();
  return kOwn;
}

/// @param is_glibcs whether glibc's loader would load it
void find_libraries(Program& program, bool is_glibcs) {
  if (is_glibcs) program.libraries = libraries_of(*program.elf, program.file);
  if (program.libraries.empty()) {  // what the file itself names
    for (const std::string& name : program.elf->needed) program.libraries.push_back({name, ""});
  }
  for (const Library& library : program.libraries) {
    if (!is_mpi_library(library.name)) continue;
    program.mpis.push_back(mpi_library(library.name, library.file, version_text_of(library.file)));
  }
}

}  // namespace

Expected<Program> look_at_program(const std::string& file) {
  auto elf = read_elf(file);
  if (!elf) return elf.error();
  Program program{file, *elf, "", {}, {}, gives_rights(file)};
  if (!program.elf) {
    program.interpreter = interpreter_of_script(file);
    return program;
  }
  find_libraries(program, file_name(program.elf->interpreter).starts_with("ld-linux"));
  return program;
}

Expected<Program> look_at_library(const std::string& file) {
  auto elf = read_elf(file);
  if (!elf) return elf.error();
  if (!*elf) return Error{file, "it is no shared library", ""};
  Program library{file, *elf, "", {}, {}, false};
  find_libraries(library, true);
  return library;
}

std::optional<Error> why_no_preload(const Program& program) {
  if (!program.elf) return std::nullopt;
  if (program.elf->machine != own_machine()) {
    return Error{program.file,
                 fmt::format("it is a program for {}, and this computer is {}",
                             machine_name(program.elf->machine), machine_name(own_machine())),
                 "build it for this computer, or name its MPI with --mpi"};
  }
  if (program.elf->is_static()) {
    return Error{program.file, "it is linked statically, and no library can be preloaded into it",
                 kLinkShared};
  }
  if (program.mpis.empty() && contains_function(program.file, "MPI_Init")) {
    return Error{program.file, "its MPI is linked into it statically, and cannot be replaced there",
                 kLinkShared};
  }
  if (program.elf->interpreter.find("ld-musl") != std::string::npos) {
    return Error{program.file, "it uses musl, and Espalier's libraries are for glibc",
                 "build it on a system with glibc"};
  }
  if (program.has_privileges) {
    return Error{program.file,
                 "it runs with the rights of another user or group (set-user-ID, set-group-ID or "
                 "capabilities), and the loader preloads nothing into such programs",
                 "run a copy without these rights: cp PROGRAM copy"};
  }
  return std::nullopt;
}

Expected<std::optional<Mpi>> mpi_of(const Program& program) {
  if (auto wrong = why_no_preload(program)) return *wrong;
  std::optional<Mpi> found;
  for (const SomeMpi& mpi : program.mpis) {
    auto served = served_by(mpi, program.file);
    if (!served) return served.error();
    if (found && *found != *served) {
      return Error{program.file,
                   fmt::format("it is linked with MPICH and Open MPI at once ({}, {})",
                               program.mpis.front().file, mpi.file),
                   "link the program and all its libraries with one MPI"};
    }
    found = *served;
  }
  return found;
}

Expected<std::optional<Mpi>> mpi_of_program(const std::string& file) {
  auto program = look_at_program(file);
  if (!program) return program.error();
  return mpi_of(*program);
}

}  // namespace espalier::launch
