#pragma once

#include <cstddef>

#include "mpi/layout.hpp"

namespace espalier::mpi {

// What is looked at before a call is planned, without asking MPI about handles that may be wrong.
// Arguments that are not significant on a rank are never looked at.

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

/// Whether this MPI refuses one buffer for input and result where the standard forbids it. Open MPI
/// and SMPI take it as it comes, and so do we then: a call that is native on one rank only waits
/// for ever.
#ifdef MPICH_VERSION
inline constexpr bool kRefusesAliases = true;
#else
inline constexpr bool kRefusesAliases = false;
#endif

/// Blocks that a rank sends or receives, as the program describes them.
struct TypedBlocks {
  const void* address;
  std::int64_t count;  ///< elements of a block
  MPI_Datatype type;
};

/// Whether this MPI refuses `one` as the rank's own block among `all`: the same type, count and
/// address. Other types at the same address may describe other bytes, and so may those at
/// MPI_BOTTOM. MPICH looks for the own block as if there were no gaps between elements.
[[nodiscard]] inline bool is_refused_alias(const TypedBlocks& one, const TypedBlocks& all, int rank,
                                           std::uint64_t block_bytes) {
  if (!kRefusesAliases || one.address == nullptr || one.count == 0) return false;
  return one.count == all.count && one.type == all.type &&
         one.address == bytes_at(all.address) + static_cast<std::uint64_t>(rank) * block_bytes;
}

}  // namespace espalier::mpi
