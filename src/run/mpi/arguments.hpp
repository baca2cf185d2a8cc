#pragma once

#include <cstddef>

#include "mpi/layout.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {

// What is looked at before a call is planned, without asking MPI about handles that may be wrong.
// Arguments that are not significant on a rank are never looked at.

/// Whether this may be a root.
[[nodiscard]] inline bool is_rank(int root, int size) { return root >= 0 && root < size; }

/// Whether this may be the address of data. A null pointer may: MPI_BOTTOM is one, and right with
/// types that hold addresses.
[[nodiscard]] inline bool may_be_an_address(const void* address, std::int64_t count,
                                            MPI_Datatype type) {
  return address != nullptr || count == 0 || !is_named(type);
}

/// Whether these arguments may describe data in memory (MPI_IN_PLACE does not).
[[nodiscard]] inline bool may_be_data(const void* address, std::int64_t count, MPI_Datatype type) {
  return address != MPI_IN_PLACE && count >= 0 && type != MPI_DATATYPE_NULL &&
         may_be_an_address(address, count, type);
}

/// The address without its const. Inputs are never written nevertheless.
[[nodiscard]] inline std::byte* bytes_at(const void* address) {
  return static_cast<std::byte*>(const_cast<void*>(address));
}

}  // namespace espalier::mpi
