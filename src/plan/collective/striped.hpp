#pragma once

#include <optional>

#include "collective/multilevel.hpp"
#include "collective/partition.hpp"
#include "cost/cost_view.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::collective {

class FoldedMachine;

/// How the ranks of one cluster share out what they have.
enum class Inside : std::uint8_t {
  Ring,     ///< most bandwidth: ring_reduce_scatter, ring_allgather
  Halving,  ///< fewest steps: butterfly_reduce_scatter, bruck_allgather
};

/// How the owners of a part in all clusters reduce it.
enum class Across : std::uint8_t {
  Exchange,           ///< direct_exchange: one latency
  RecursiveDoubling,  ///< recursive_doubling_allreduce
  Halving,            ///< rabenseifner_allreduce
  Ring,               ///< ring_allreduce
  Direct,             ///< direct_allreduce: two latencies, the fewest bytes
};

/// A plan in which every cluster has several leaders, each for a part of the data.
struct StripedChoice {
  Rank parts = 0;  ///< parts of the vector; 0: as many as the smallest outermost cluster has ranks
  Inside inside = Inside::Ring;
  Across across = Across::Exchange;     ///< allreduce only
  LevelChoice tree = {Shape::Flat, 0};  ///< broadcast and reduce only: tree over the clusters
  friend bool operator==(const StripedChoice&, const StripedChoice&) = default;
};

/// Whether there is a striped form of this call: broadcast, allreduce, allgather, reduce-scatter;
/// reduce if the operation commutes. Operations that do not commute need clusters that are runs of
/// ranks, Inside::Halving, and not Across::Ring.
[[nodiscard]] bool striped_supports(const Hierarchy& hierarchy, const StripedChoice& choice,
                                    const schedule::Collective& call);

/// This rank's own part: where node links are the bottleneck and not the channel between the
/// clusters, or where each flow across it is capped, all ranks carry their share across.
///
///   broadcast       scatter in the root's cluster | parts down trees of their owners | allgather
///   reduce          reduce-scatter | parts up trees of their owners | gather at the root
///   allreduce       reduce-scatter | each part among its owners | allgather
///   allgather       each block to one rank of each other cluster | allgather
///   reduce-scatter  reduce-scatter | each block from one rank of each other cluster
///
/// The parts within clusters are those of M. Barnett et al., SC 1994, and R. Rabenseifner, ICCS
/// 2004; across, several leaders for each cluster, as in M. Bayatpour, S. Chakraborty, H.
/// Subramoni, X. Lu, D. K. Panda: "Scalable reduction collectives with data partitioning-based
/// multi-leader design", SC 2017. Ranks of a cluster stand in the order of the machine, so that
/// rings have near neighbours (of calls that do not commute: in rank order).
///
/// Across the outermost channel, in all: broadcast and reduce (S - 1) n, allreduce as its
/// algorithm, allgather and reduce-scatter (S - 1) P b; by each rank of a cluster of k about 1/k of
/// its cluster's share. Within a cluster of k each rank sends about n (k-1)/k in each half.
/// @pre striped_supports(hierarchy, choice, call)
[[nodiscard]] schedule::Program striped_program(const Hierarchy& hierarchy,
                                                const StripedChoice& choice,
                                                const schedule::Collective& call, Rank rank);

/// Its estimate.
[[nodiscard]] cost::Picos striped_time(const StripedChoice& choice, const cost::CostView& cost_view,
                                       const Hierarchy& hierarchy,
                                       const schedule::Collective& call);
/// The same on a regular machine; absent for other machines, other operations than allgather and
/// reduce-scatter, and rounds in which ranks differ.
[[nodiscard]] std::optional<cost::Picos> folded_striped_time(const StripedChoice& choice,
                                                             const FoldedMachine& machine,
                                                             const schedule::Collective& call);
/// What that is not less than.
[[nodiscard]] cost::Picos striped_least(const StripedChoice& choice, const Hierarchy& hierarchy,
                                        const schedule::Collective& call);

}  // namespace espalier::collective
