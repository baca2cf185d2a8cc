#pragma once

#include <span>

#include "topology/machine.hpp"
#include "tree/irregular.hpp"

namespace espalier::tree {

// Trees for blocks of unequal lengths, one algorithm a source file.

/// Linear, with those sent to first whose messages need the longest from the moment the root is
/// done with them: t(root, i, m_i) less what keeps the root. Far sites come before near ones, so
/// that their latency passes while the others are served; ties by t, the longest first, then by
/// rank. The best order where the root is busy with one message at a time (Jackson's rule, in
/// scheduling: longest tail first). O(P log P).
[[nodiscard]] CommTree farthest_first(const IrregularRequest& request);

/// Which of the ranks that are still free a parent takes next.
enum class Mapping : std::uint8_t {
  MinimumFirst,  ///< least t(parent, i, m_i): on a hierarchy of clusters, neighbours
  MaximumFirst,  ///< greatest t(parent, i, m_i): on one switch, long blocks near the root
};

/// A binomial tree whose places are given to ranks by predicted times.
///
/// The shape is that of binomial(): the greatest sub-tree is sent to first. Places are filled depth
/// first, of each rank's sub-trees the smallest first; each takes the free rank with the least or
/// greatest t(parent, i, m_i). Ties go to the lower rank.
///
/// O(P log P) for each kind of rank (IrregularRequest::kinds).
/// @post spans the participants
[[nodiscard]] CommTree model_binomial(const IrregularRequest& request, Mapping mapping);

/// Traeff's tree for blocks of unequal lengths on equal links: the ranks are sorted by the length
/// of their blocks, the longest first, and cut into subsets of about the same sum, so that long
/// blocks are sent straight to their rank and short ones many together. The first of each subset,
/// who has the longest block and so the least to pass on, is the child; each subset goes on alike.
///
/// How many subsets there are, the sources at hand do not say. Ours: ceil(log2(n + 1)) of n ranks,
/// as many as a binomial tree has children, which it becomes where all blocks are alike. Children
/// with more ranks below them are sent to first. O(P log P). Ties go to the lower rank.
/// @post spans the participants
[[nodiscard]] CommTree traeff(const IrregularRequest& request);

/// Traeff's tree by predicted times: sorted by t(parent, i, m_i), cut into subsets of about the
/// same sum of them, and in each the child is the one to whom the parent gets all bytes of the
/// subset in the least time. Both are done anew for each parent. O(P log^2 P).
[[nodiscard]] CommTree model_traeff(const IrregularRequest& request);

/// Traeff's fully distributed tree, which nobody needs all lengths for: neighbouring runs of 1, 2,
/// 4, ... ranks join, and of two the one that is gathered earlier (whose root has received less,
/// then: which has less in all) hangs its root below the other's; the run of the given root always
/// keeps it. Bundles are runs of ranks in order.
///
///   lengths 5 1 2 9, root 0:   0 <- 1    3 <- 2    0 <- 3
///
/// The ranks find it out among themselves in ceil(log2 P) rounds of one number each, before the
/// data. O(P). Of equal runs the lower one stays.
/// @post spans all ranks, the empty ones too: they take part in the rounds
[[nodiscard]] CommTree traeff_distributed(std::span<const Bytes> bytes, Rank root);

/// What those rounds take: in each the roots of two neighbouring runs tell each other their sums, 8
/// bytes at once, before the next. O(P).
[[nodiscard]] Time traeff_distributed_setup(std::span<const Bytes> bytes, Rank root,
                                            const model::CostModel& model);

/// How a clustered tree is put together.
struct Clustering {
  /// Number of ranks in each outermost cluster but the root's that get a share of its blocks, each
  /// in a message of its own. One message uses a link once; where single flows are capped (a TCP
  /// window), several at a time use more of it.
  Rank carriers = 1;
  bool trees_inside = false;  ///< innermost clusters use model_traeff(); false: flat trees
  friend bool operator==(const Clustering&, const Clustering&) = default;
};

/// The multilevel tree for blocks of unequal lengths: what goes to another cluster is sent to one
/// rank there (or `carriers` of them), who hands it out by the same rule. Outer levels are sent to
/// first (WAN first), on each level those whose bundles arrive last. Who carries a share is who
/// gets all of it soonest; shares have about the same bytes.
///
/// O(P log P + P depth). Ties go to the longer block, then the lower rank.
/// @pre the machine has as many processes as the model has ranks
/// @post spans the participants
[[nodiscard]] CommTree clustered(const IrregularRequest& request, const topology::Machine& machine,
                                 const Clustering& how);

/// The best tree whose bundles are all runs of ranks in order, and its time: an oracle for small
/// cases. (Without that rule the best tree is NP-hard to find.)
struct OrderedOptimum {
  CommTree tree;
  Time time;  ///< scatter_time() under a model that keeps both ends busy throughout
};

inline constexpr Rank kOrderedOptimumUpTo = 128;

/// One port, as with blocking sends: a rank sends or receives one message at a time, and both ends
/// are busy for the whole t(i, j, m).
///
/// A rank with a run of blocks to hand out keeps one end of the run and sends the other, as one
/// bundle, to some rank in it; so do both then. O(P^5) time, O(P^3) memory.
/// @pre at most kOrderedOptimumUpTo participants
[[nodiscard]] OrderedOptimum ordered_optimum(const IrregularRequest& request);

}  // namespace espalier::tree
