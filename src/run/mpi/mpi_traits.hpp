#pragma once

// How the MPIs differ that we are compiled for. The only header that asks which MPI it is:
// elsewhere these constants decide, or files whose names end in _on_MPI.cpp, which are compiled for
// that MPI alone (cmake/Mpi.cmake).
#include <cstdint>

#include "mpi/mpi_api.hpp"
#include "select/transport.hpp"

namespace espalier::mpi {

#if defined(ESPALIER_SMPI)
inline constexpr auto kNativeMpi = select::NativeMpi::Smpi;
#elif defined(OPEN_MPI_BUILD)
inline constexpr auto kNativeMpi = select::NativeMpi::OpenMpi;
#elif defined(ESPALIER_MPIABI)  // any MPI may be behind it
inline constexpr auto kNativeMpi = select::NativeMpi::Unknown;
#else
inline constexpr auto kNativeMpi = select::NativeMpi::Mpich;
#endif

/// Simulated: ranks take turns in one process, a poll costs simulated time, messages that leave
/// together share the link, and programs are C.
inline constexpr bool kIsSimulated = kNativeMpi == select::NativeMpi::Smpi;

/// Whether this MPI refuses one buffer for input and result where the standard forbids it. Others
/// take it as it comes, and so do we then: a call that is native on one rank only waits for ever.
inline constexpr bool kRefusesAliases = kNativeMpi == select::NativeMpi::Mpich;

/// Whether a program may use up this MPI's communicators: MPICH and its kin have some 2,000, Open
/// MPI 65,531.
inline constexpr bool kRunsShort = kNativeMpi != select::NativeMpi::OpenMpi;

/// Bytes that a receive of MPI_BYTE or of whole elements brought.
[[nodiscard]] inline std::uint64_t received_bytes(const MPI_Status& status) {
#if defined(OPEN_MPI_BUILD)
  return status._ucount;  // MPI_Get_count costs a tenth of a short call
#else
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes != MPI_UNDEFINED) return static_cast<std::uint64_t>(bytes);
  MPI_Count all = 0;         // beyond what an int tells
  MPI_Status copy = status;  // SMPI's is not const
  PMPI_Get_elements_x(&copy, MPI_BYTE, &all);
  return static_cast<std::uint64_t>(all);
#endif
}

}  // namespace espalier::mpi
