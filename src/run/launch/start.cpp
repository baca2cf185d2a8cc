#include "launch/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "launch/ask.hpp"
#include "launch/slurm.hpp"

namespace espalier::launch {
namespace {

/// mpirun of Open MPI 4 aborts ("conflict-env-set") where both -x and this parameter are used.
std::optional<Error> check_env_list(const CommandLine& line) {
  constexpr std::string_view kList = "mca_base_env_list";
  if (line.kind != Launcher::OpenMpi) return std::nullopt;
  bool is_used = !environment("OMPI_MCA_mca_base_env_list").empty();
  for (const CommandLine::Part& part : line.parts) {
    const auto at = [&line](std::size_t i) {
      return line.words.begin() + static_cast<std::ptrdiff_t>(i);
    };
    is_used = is_used || std::find(at(part.first), at(part.program), kList) != at(part.program);
  }
  if (!is_used) return std::nullopt;
  return Error{std::string(kList),
               "Open MPI 4 refuses it beside -x, by which the processes get the library",
               "name these variables with -x too; with Open MPI 5, leave out --mpi"};
}

}  // namespace

Expected<Start> start_of(const Chosen& chosen, const std::vector<std::string>& words,
                         const std::string& libraries, const Variables& settings) {
  const auto preload = preload_of(libraries, environment("LD_LIBRARY_PATH"));
  if (!preload) return preload.error();
  const std::string& library = preload->libraries;
  Variables variables = settings;
  variables.insert(variables.end(), preload->variables.begin(), preload->variables.end());
  const std::string preloaded = environment("LD_PRELOAD");
  if (!chosen.line) {
    Start start{words, {{"LD_PRELOAD", joined(library, preloaded)}}, {}};
    start.set.insert(start.set.end(), variables.begin(), variables.end());
    return start;
  }
  if (!is_slurm(chosen.line->kind)) {
    if (auto wrong = check_env_list(*chosen.line)) return *wrong;
    Start start{with_preload(*chosen.line, library, preloaded, variables), {}, {}};
    // Processes that a program spawns get the environment of PRRTE, without what -x says.
    if (chosen.line->kind == Launcher::Prrte) {
      start.set = {{"LD_PRELOAD", joined(library, preloaded)}};
      start.set.insert(start.set.end(), variables.begin(), variables.end());
    }
    return start;
  }
  const bool is_srun = chosen.line->kind == Launcher::Srun;
  auto exported = with_export(
      *chosen.line, library, variables,
      {environment(is_srun ? "SLURM_EXPORT_ENV" : "SBATCH_EXPORT"), preloaded, chosen.script});
  if (!exported) return exported.error();
  Start start{std::move(*exported), variables, {}};
  if (!preloaded.empty()) start.unset.emplace_back("LD_PRELOAD");
  return start;
}

std::string to_text(const Start& start) {
  if (start.set.empty() && start.unset.empty()) return to_text(start.words);
  std::vector<std::string> words{"env"};
  for (const std::string& name : start.unset) words.insert(words.end(), {"-u", name});
  for (const auto& [name, value] : start.set) words.push_back(fmt::format("{}={}", name, value));
  words.insert(words.end(), start.words.begin(), start.words.end());
  return to_text(words);
}

// Seen with Debian's Open MPI 5.0.7; open-mpi/ompi issues 12375 (5.0.2) and 13303 (5.0.10) tell the
// same. prterun without Open MPI's personality starts such lines.
std::optional<std::string> note_on_several_programs(const CommandLine& line,
                                                    const std::string& version) {
  if (line.kind != Launcher::Prrte || line.parts.size() < 2) return std::nullopt;
  if (!version.starts_with("5.0.")) return std::nullopt;
  return fmt::format(
      "{} of Open MPI {} may crash on several programs, with Espalier or without: prterun takes "
      "them",
      line.words[line.launcher], version);
}

Expected<Preload> preload_of(const std::string& libraries, const std::string& library_path) {
  Preload preload;
  std::vector<std::string> folders;
  for (std::size_t at = 0; at <= libraries.size();) {
    const std::size_t end = std::min(libraries.find(':', at), libraries.size());
    const std::filesystem::path file = libraries.substr(at, end - at);
    at = end + 1;
    if (!file.is_absolute()) {  // a piece of a name that has a colon in it
      return Error{libraries, "the loader cannot preload from a folder with \":\" in its name",
                   "move it, or make a link to its folder and name the library there with "
                   "--library"};
    }
    const bool has_blank = file.string().find(' ') != std::string::npos;
    if (!preload.libraries.empty()) preload.libraries += ':';
    preload.libraries += has_blank ? file.filename().string() : file.string();
    const std::string folder = file.parent_path().string();
    if (has_blank && std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.push_back(folder);
    }
  }
  if (folders.empty()) return preload;
  if (!library_path.empty()) folders.push_back(library_path);
  preload.variables = {{"LD_LIBRARY_PATH", fmt::format("{}", fmt::join(folders, ":"))}};
  return preload;
}

}  // namespace espalier::launch
