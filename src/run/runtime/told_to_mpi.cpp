#include "runtime/told_to_mpi.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::runtime {
namespace {

constexpr std::array<std::string_view, 16> kTold{
    "UCX_",         "UCC_",         "HCOLL_",        "SHARP_COLL_",  "FI_",          "PSM2_",
    "PSM3_",        "I_MPI_",       "MPIR_CVAR_",    "MPICH_",       "OMPI_MCA_btl", "OMPI_MCA_bml",
    "OMPI_MCA_pml", "OMPI_MCA_mtl", "OMPI_MCA_coll", "OMPI_MCA_mpi_"};
constexpr std::array<std::string_view, 2> kByLauncher{"I_MPI_HYDRA_", "I_MPI_JOB_"};
/// A key of the job; where messages for people go.
constexpr std::array<std::string_view, 2> kOfTheRun{"_UUID", "_LOG_FILE"};

}  // namespace

bool is_told_to_mpi(std::string_view name) {
  const auto begins = [name](std::string_view with) { return name.starts_with(with); };
  const auto ends = [name](std::string_view with) { return name.ends_with(with); };
  return std::any_of(kTold.begin(), kTold.end(), begins) &&
         std::none_of(kByLauncher.begin(), kByLauncher.end(), begins) &&
         std::none_of(kOfTheRun.begin(), kOfTheRun.end(), ends);
}

std::string told_to_mpi(std::vector<std::string_view> environment) {
  std::sort(environment.begin(), environment.end());
  std::string lines;
  for (const std::string_view entry : environment) {
    if (is_told_to_mpi(entry.substr(0, entry.find('=')))) lines.append(entry).append("\n");
  }
  return lines;
}

std::string told_to_mpi() {
  std::vector<std::string_view> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return told_to_mpi(std::move(entries));
}

}  // namespace espalier::runtime
