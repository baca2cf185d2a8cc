#pragma once

#include <optional>
#include <vector>

#include "select/chooser.hpp"
#include "select/shared_memory.hpp"

namespace espalier::select {

/// Which ranks share a node: those that a channel called "memory" joins. A rank that none joins to
/// another has a node of its own.
class Nodes {
 public:
  explicit Nodes(const topology::Machine& machine);

  [[nodiscard]] Rank size() const { return static_cast<Rank>(node_of_.size()); }
  [[nodiscard]] Rank count() const { return static_cast<Rank>(lowest_.size()); }
  /// Nodes are counted in the order of their lowest ranks.
  [[nodiscard]] Rank node_of(Rank rank) const { return node_of_[rank]; }
  /// The ranks of a node, rising.
  [[nodiscard]] std::vector<Rank> ranks_of(Rank node) const;
  /// How many ranks the largest node has.
  [[nodiscard]] Rank largest() const { return largest_; }
  /// Whether there is memory to be shared inside several nodes.
  [[nodiscard]] bool are_several() const {
    return count() > 1 && largest_ > 1 && largest_ <= kMostSharing;
  }
  /// The rank that sends and receives for a node in a call with this root: the root in its own
  /// node, else the lowest.
  [[nodiscard]] Rank leader_of(Rank node, Rank root) const {
    return node_of_[root] == node ? root : lowest_[node];
  }
  /// Leaders of all nodes, rising.
  [[nodiscard]] std::vector<Rank> leaders(Rank root) const;
  friend bool operator==(const Nodes&, const Nodes&) = default;

 private:
  std::vector<Rank> node_of_;  // by rank
  std::vector<Rank> lowest_;   // by node
  Rank largest_ = 0;
};

/// Whether such calls may go over the memory of several nodes: broadcast, barrier, and reduce and
/// allreduce that commute.
[[nodiscard]] bool may_go_over_memory(const schedule::Collective& call);

/// A call over several nodes whose ranks share memory
/// (docs/adr/0047-the-memory-of-several-nodes.md). It is cut into pieces. The ranks of a node
/// combine a piece in memory, the leaders of the nodes run it along a plan of their own, the ranks
/// of a node take it from memory.
struct OverMemory {
  PlanChoice leaders;       ///< the leaders' plan of a piece
  std::uint64_t piece = 0;  ///< elements of each piece but the last
  Time predicted;           ///< time of the whole call

  /// "binomial over shared memory"
  [[nodiscard]] std::string name() const;
};

/// The call that the leaders make for a piece. @param leaders rising
[[nodiscard]] schedule::Collective call_of_leaders(const schedule::Collective& call,
                                                   const std::vector<Rank>& leaders,
                                                   std::uint64_t piece);

/// Chooses plan and piece: while the leaders run one piece, memory goes on with the one before and
/// the one behind it. Depends only on what all ranks share. Absent: leaders have no plan.
/// @param chooser of the machine of the leaders alone
/// @pre may_go_over_memory(call)
[[nodiscard]] std::optional<OverMemory> choose_over_memory(Chooser& chooser, const Nodes& nodes,
                                                           const schedule::Collective& call);

}  // namespace espalier::select
