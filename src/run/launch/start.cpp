#include "launch/start.hpp"

#include <fmt/format.h>

#include "launch/ask.hpp"
#include "launch/preload.hpp"
#include "launch/slurm_line.hpp"

namespace espalier::launch {

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

}  // namespace espalier::launch
