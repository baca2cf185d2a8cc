#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace espalier::runtime {

/// Whether a variable of the environment tells an MPI library, or what it sends by, something about
/// links or collectives. What launchers tell each process of a job is left out: it differs from run
/// to run (OMPI_MCA_orte_*, I_MPI_HYDRA_*, FI_*_UUID).
[[nodiscard]] bool is_told_to_mpi(std::string_view name);

/// A line "NAME=value" for each such variable, sorted. What is measured over these links or decided
/// beside these collectives holds only where the same was told.
/// @param environment entries "NAME=value"
[[nodiscard]] std::string told_to_mpi(std::vector<std::string_view> environment);
/// The same of this process's environment.
[[nodiscard]] std::string told_to_mpi();

}  // namespace espalier::runtime
