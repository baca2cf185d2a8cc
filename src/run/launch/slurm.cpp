#include "launch/slurm.hpp"

#include <fmt/format.h>

#include <sstream>

#include "launch/ask.hpp"

namespace espalier::launch {
namespace {

constexpr int kPatience = 5;  // seconds: a controller that is down is waited for

std::string usual_type() {
  std::istringstream lines(output_of({"scontrol", "show", "config"}, {}, kPatience));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals, value;
    if (words >> name >> equals >> value && name == "MpiDefault") return value;
  }
  return "";
}

}  // namespace

std::string_view type_for(Mpi mpi) { return mpi == Mpi::Mpich ? "pmi2" : "pmix"; }

bool serves(std::string_view type, Mpi mpi) {
  return mpi == Mpi::Mpich ? type == "pmi2" || type == "cray_shasta" : type.starts_with("pmix");
}

std::optional<Slurm> look_at_slurm() {
  if (find_program("srun", ".", environment("PATH")).empty()) return std::nullopt;
  Slurm slurm;
  std::istringstream version(output_of({"srun", "--version"}, {}, kPatience));
  std::string word;
  version >> word;
  if (!word.starts_with("slurm")) return slurm;  // it has no configuration, and says so
  version >> slurm.version;
  // "MPI plugin types are...", then one a line.
  std::istringstream types(output_of({"srun", "--mpi=list"}, {}, kPatience));
  for (std::string line; std::getline(types, line);) {
    if (line.starts_with('\t')) slurm.types.push_back(line.substr(1));
  }
  slurm.usual_type = usual_type();
  return slurm;
}

std::optional<std::string> note_on_type(Mpi mpi, const std::string& type) {
  std::string in_force = type.empty() ? environment("SLURM_MPI_TYPE") : type;
  if (in_force.empty()) in_force = usual_type();
  if (in_force.empty() || serves(in_force, mpi)) return std::nullopt;
  return fmt::format("srun --mpi is {} here: {}, unless it was built for that; srun --mpi={} helps",
                     in_force,
                     mpi == Mpi::Mpich ? "each process of MPICH starts alone, as rank 0 of 1"
                                       : "Open MPI's processes do not start",
                     type_for(mpi));
}

}  // namespace espalier::launch
