#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "doctor/checks.hpp"
#include "launch/ask.hpp"
#include "launch/slurm.hpp"

namespace espalier::doctor {
namespace {

Finding check_slurm(const launch::Slurm& slurm, const Environment& environment) {
  if (slurm.version.empty()) {
    return {"launch", Severity::Note, "Slurm", "installed, but not set up: there is no slurm.conf",
            "nothing, if you do not use it; else set SLURM_CONF"};
  }
  Finding finding{"launch", Severity::Ok, "Slurm", fmt::format("{}; ", slurm.version), ""};
  std::vector<std::string> able;
  for (const launch::Mpi mpi : {launch::Mpi::Mpich, launch::Mpi::OpenMpi}) {
    const bool is_there =
        std::any_of(slurm.types.begin(), slurm.types.end(),
                    [mpi](const std::string& type) { return launch::serves(type, mpi); });
    if (is_there)
      able.push_back(fmt::format("{} with --mpi={}", launch::name_of(mpi), launch::type_for(mpi)));
  }
  finding.what += able.empty() ? "srun starts neither MPI (start mpiexec inside of a job)"
                               : fmt::format("srun starts {}", fmt::join(able, ", "));
  if (slurm.usual_type.empty()) {
    finding.level = Severity::Note;
    finding.what += "; its controller does not answer";
    finding.cure = "nothing, if you do not use it; else ask scontrol ping";
  } else if (slurm.usual_type == "none" && value_of(environment, "SLURM_MPI_TYPE").empty()) {
    finding.level = Severity::Note;
    finding.what += "; without --mpi each process starts alone";
    finding.cure = "write --mpi, or set SLURM_MPI_TYPE";
  }
  return finding;
}

}  // namespace

Environment own_environment() {
  Environment all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      all.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return all;
}

std::string value_of(const Environment& environment, const std::string& name) {
  const auto it = environment.find(name);
  return it == environment.end() ? "" : it->second;
}

Findings check_launching(const Environment& environment) {
  constexpr const char* kArea = "launch";
  Findings all;
  const std::string ssh = launch::find_program("ssh", ".", value_of(environment, "PATH"));
  const auto slurm = launch::look_at_slurm();
  if (!ssh.empty()) {
    all.push_back({kArea, Severity::Ok, "ssh", ssh, ""});
  } else {
    all.push_back(
        {kArea, Severity::Note, "ssh", "not there: mpiexec reaches other hosts through it",
         slurm ? "nothing, inside of Slurm's jobs" : "install it (Debian: openssh-client)"});
  }
  if (slurm) all.push_back(check_slurm(*slurm, environment));
  return all;
}

}  // namespace espalier::doctor
