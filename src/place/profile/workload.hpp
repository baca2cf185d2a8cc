#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "profile/profile.hpp"

namespace espalier::profile {

/// What a workload is scaled by. The defaults are those of data/park2004.json, which says why.
struct WorkloadOptions {
  std::uint64_t flops_per_second = 200'000'000;  ///< speed of a node whose speed is 1
  /// LU only: so many redundant round trips on the channels 4-8 and 7-11 (of 16 processes; in
  /// general between the second and third row, first and last column) for each message of the
  /// wavefront. park2004 inserted such channels and does not say how heavy; 0: none.
  std::uint64_t heavy_factor = 0;
};

/// The communication of a NAS parallel benchmark (D. Bailey et al., "NAS parallel benchmark 2.0",
/// NAS-95-020), as a trace without its numbers: same partners, same order, same bytes, computation
/// as time. "lu.C", "mg.A", "is.S", "ep.W", "cg.B", "ft.A".
///
///   lu  wavefronts over planes of a 2-D grid of processes, down and up; faces; a norm
///   mg  faces of every level of a V cycle between neighbours of a hypercube; on the coarse levels
///       only processes with bit 2 set work, so of 16 processes 4 to 7 and 12 to 15 have most to
///       say
///   is  sizes of buckets (allreduce), counts (alltoall), keys (alltoall)
///   ep  three reductions at the end
///   cg  sums along the rows of a 2-D grid, exchange with the transposed process
///   ft  transposition (alltoall), a checksum
///
/// Refuses unknown names and classes, and what the program cannot do: mg and cg want a power of
/// two.
Expected<Profile> make_workload(std::string_view name, Rank processes,
                                const WorkloadOptions& options = {});

/// "lu", "mg", ...
[[nodiscard]] std::vector<std::string> workload_names();
/// Number of rows of a grid for `processes`: rows <= columns, as square as can be.
[[nodiscard]] Rank rows_of(Rank processes);

}  // namespace espalier::profile
