#pragma once

#include "group/experiment.hpp"
#include "model/logp_models.hpp"

namespace espalier::group {

/// The paper's machine, an IBM BlueGene/P: nodes of 4 processes. The paper states no parameters;
/// these are fitted to its Table 1, 32,768 processes and one colour.

/// What a message costs a handler. The paper states none of it.
struct HandlerCosts {
  Time overhead = nanoseconds(4800);  ///< time of a process for a message, at either end
  Time latency = microseconds(3);     ///< latency of a message between nodes
};

/// For messages of Charm++ handlers. 375 MB/s is what a torus link gives to user data (425 raw);
/// o = 4.8 us and L = 3 us make Rank-and-Hash take 0.708 ms.
[[nodiscard]] model::LevelLogGP blue_gene(Rank processes, HandlerCosts costs = {});
/// Work on a word of a message, out of it and into the next list: 25 cycles at 850 MHz. A guess,
/// for the paper has no figure; it matters to Centralized only, whose lists are long.
inline constexpr Time kBlueGeneWord = nanoseconds(30);

/// For MPI: a step of a ring of 24 bytes takes 2.655 us, so that 32,767 take 87 ms.
[[nodiscard]] model::LevelLogGP blue_gene_mpi(Rank processes);
/// Sorting n/c keys takes 95 ns for each of (n/c) log2 (n/c).
inline constexpr Time kBlueGeneSort = nanoseconds(95);

/// MPI_Comm_split into c equal parts, by these figures: ring allgather and sort.
[[nodiscard]] Time calibrated_comm_split(Rank processes, Colour colours);
/// The same with the best allgather (Bruck's).
[[nodiscard]] Time best_comm_split(Rank processes, Colour colours);

}  // namespace espalier::group
