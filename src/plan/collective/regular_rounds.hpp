#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "collective/folded_machine.hpp"

namespace espalier::collective {

/// Rounds of exchanges along a machine of equal parts (MachineShape::equal_parts), in which all
/// ranks of an outermost cluster do the same at the same time: cost::Rounds, each cluster told by
/// one clock. Positions lie in the order of the leaves, wherever the ranks do.
///
/// All flows of a round have the same rate. A link of a cluster carries as many of them as the
/// cluster has ranks. So a round takes the time of the busiest kind of link. To the rounding of
/// sums; O(levels) for each round, O(clusters^2 levels) between outermost clusters.
class RegularRounds {
 public:
  /// @pre machine.whole().shape().equal_parts
  explicit RegularRounds(const FoldedMachine& machine);

  /// Number of outermost clusters, and of ranks of each.
  [[nodiscard]] Rank clusters() const { return static_cast<Rank>(clocks_.size()); }
  [[nodiscard]] Rank inside() const { return ranks_[1]; }
  [[nodiscard]] Rank size() const { return ranks_[0]; }
  /// Whether partners whose numbers differ in one bit are equally far apart for all ranks.
  [[nodiscard]] bool are_bits_aligned() const;

  /// Each rank with the one whose number differs in this bit (or in lower ones too), so many times.
  /// @pre are_bits_aligned()
  void across_bits(Rank bit, double bytes, bool combines, double times = 1);
  /// Of the first 2 * bit ranks each of the upper half to the one whose number differs in this bit.
  /// @pre are_bits_aligned(); all clusters are equally far
  void to_lower_half(Rank bit, double bytes);
  /// A ring among all ranks (depth 0), or in each outermost cluster (depth 1).
  /// @param bytes of a block
  /// @param part 1: as many rounds as there are ranks less 1; 0.5: half of the ranks less 1
  /// @param slots so many blocks may be on their way to a rank before it passes one on; 0: any
  void ring(std::uint32_t depth, double bytes, bool combines, double part = 1, double slots = 0);
  /// Each rank sends to the same rank of each other outermost cluster.
  /// @param turn how many messages the ranks of a cluster send before the one to another
  void across_clusters(double bytes, bool combines,
                       const std::function<Rank(Rank from, Rank to)>& turn);

  /// Each rank sends to all others at once: cost::Rounds::all_to_all().
  void all_to_all(double bytes, bool combines);
  /// The same of all_combine().
  /// @return whether that goes by what each link has to carry
  [[nodiscard]] bool all_combine(double bytes, bool scans);

  /// When all are done; absent if links were still busy when the next round began.
  [[nodiscard]] std::optional<cost::Picos> finish() const;

 private:
  /// A kind of link on the way between two ranks.
  struct Link {
    cost::Picos per_byte = 0;
    bool both = false;         // carries both directions
    bool is_backbone = false;  // of the whole machine
    double ranks = 1;          // of the cluster or process
    [[nodiscard]] double flows() const { return both ? 2 * ranks : ranks; }
  };
  struct Way {
    cost::Picos latency = 0;
    cost::Picos cap = 0;
    std::vector<Link> out, in;  // on the sender's side with the backbone, on the receiver's
  };
  [[nodiscard]] Way way_on(std::uint32_t level) const;
  [[nodiscard]] const Way& way_across(Rank bit) const;
  [[nodiscard]] cost::Picos send(double bytes) const;
  [[nodiscard]] cost::Picos taken(double bytes, bool combines) const;

  const FoldedMachine& machine_;
  std::vector<Rank> ranks_;          // of a cluster of each depth, then of a process
  std::vector<Way> ways_;            // by level
  std::vector<cost::Picos> clocks_;  // of each outermost cluster
  cost::Picos busy_until_ = 0;       // at the latest, of all links
  bool is_exact_ = true;
};

}  // namespace espalier::collective
