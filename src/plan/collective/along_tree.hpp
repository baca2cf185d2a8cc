#pragma once

#include "collective/flat_algorithms.hpp"
#include "topology/machine.hpp"

namespace espalier::collective {

/// The classical algorithms with the ranks in the order in which they lie in the machine, whatever
/// their numbers: a ring then enters and leaves each cluster once, ranges of positions are
/// clusters, and partners that are near by number are near in fact. Steps and bytes as in the flat
/// form.
///
/// G. Mercier, E. Jeannot: "Improving MPI applications performance on multicore clusters with rank
/// reordering", EuroMPI 2011, LNCS 6960, does it to whole applications.

/// Whether this algorithm can do the call so: broadcast, reduce, allreduce and barrier any, of
/// allgather and reduce-scatter those in steps with neighbours or partners. Reductions must
/// commute. No if the ranks lie in this order anyway: then it is the flat form itself.
[[nodiscard]] bool along_tree_supports(const topology::Machine& machine,
                                       const FlatAlgorithm& algorithm,
                                       const schedule::Collective& call);

/// A rank's own part. @pre along_tree_supports(machine, algorithm, call)
[[nodiscard]] schedule::Program along_tree_program(const topology::Machine& machine,
                                                   const FlatAlgorithm& algorithm,
                                                   const schedule::Collective& call, Rank rank,
                                                   std::uint64_t segment = 0);

}  // namespace espalier::collective
