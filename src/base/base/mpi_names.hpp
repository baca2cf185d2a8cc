#pragma once

#include <string>
#include <string_view>

namespace espalier {

/// `did you mean "openmpi"? ` for another name of an MPI that we know ("ompi", "Open-MPI",
/// "MPICH"), to stand before a list of all names; or "".
[[nodiscard]] std::string mpi_meant(std::string_view name);

}  // namespace espalier
