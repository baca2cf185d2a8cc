#include <algorithm>
#include <array>

#include "launch/ask.hpp"
#include "launch/command_line.hpp"

namespace espalier::launch {

std::optional<std::string> option_among(const CommandLine& line,
                                        std::span<const std::string_view> names) {
  for (const CommandLine::Part& part : line.parts) {
    for (std::size_t i = part.first; i < part.program;) {
      const std::string& word = line.words[i];
      const std::string_view whole = without_dashes(word);
      const std::string_view name = whole.substr(0, whole.find('='));
      if (std::find(names.begin(), names.end(), name) != names.end()) return word;
      const std::string next = i + 1 < line.words.size() ? line.words[i + 1] : "";
      i += 1 + values_of(line.kind, word, next).value_or(0);
      while (i < part.program && !line.words[i].starts_with('-')) ++i;  // an unknown one's value
    }
  }
  return std::nullopt;
}

bool may_use_other_hosts(const CommandLine& line) {
  constexpr std::array<std::string_view, 15> kOptions{
      "f",        "hosts",    "host",        "hostfile",    "machinefile",      "H",
      "machine",  "machines", "hostlist",    "machinelist", "default-hostfile", "rf",
      "rankfile", "add-host", "add-hostfile"};
  constexpr std::array kVariables{"HYDRA_HOST_FILE",
                                  "OMPI_MCA_orte_default_hostfile",
                                  "PRTE_MCA_prte_default_hostfile",
                                  "SLURM_JOB_ID",
                                  "SLURM_JOBID",
                                  "PBS_JOBID",
                                  "PBS_NODEFILE",
                                  "LSB_JOBID",
                                  "PE_HOSTFILE",
                                  "COBALT_JOBID",
                                  "LOADL_STEP_ID"};
  return is_slurm(line.kind) || option_among(line, kOptions).has_value() ||
         std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return !environment(name).empty(); });
}

}  // namespace espalier::launch
