#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// When the search for the optimum gives up.
struct ExactLimits {
  /// Work of the search, in schedules looked at (larger ones count for more), so that every rank
  /// that plans alone stops at the same place. About eight million a second, and what the bounds
  /// take: less than half a second.
  std::uint64_t search_steps = 2'000'000;
  /// For interactive use. Never set it where ranks must plan alike.
  std::optional<std::chrono::milliseconds> wall_clock{};
};

enum class ExactEnd {
  Proven,  ///< the tree is optimal
  OutOfSteps,
  OutOfTime,
  TooLarge,  ///< more than kExactSearchable participants: FNF's tree and a bound
};

/// More participants than that are not searched.
inline constexpr Rank kExactSearchable = 1024;

struct ExactResult {
  CommTree tree;
  Time value;        ///< when the last participant has the message
  Time lower_bound;  ///< no tree finishes earlier
  ExactEnd end;
  std::uint64_t search_steps;  ///< search steps that were used
  std::uint32_t decisions;     ///< number of deadlines that were searched or proven too early

  [[nodiscard]] bool proven() const { return value == lower_bound; }
  /// By how much the value may exceed the optimum, as a fraction of the lower bound. For reports.
  [[nodiscard]] double gap() const;
};

/// The broadcast or multicast tree in which the last participant is served earliest, or the best
/// one found and how much better another could be.
///
/// Model: one message occupies its sender for `send_cost[sender]`; the receiver may forward it as
/// soon as that time is over. Links, sizes and receiving cost nothing: see initiation_trees.hpp for
/// asking a cost model whether it is one of that kind.
/// @pre  send_cost.size() == who.machine_size, no cost negative
/// @post spans the participants; no rank but the root has a faster child (Lemma 2 of the paper);
///       never slower than fastest_node_first()
///
/// NP-hard (S. Khuller, Y.-A. Kim, "Broadcasting in heterogeneous networks", Algorithmica 2007).
/// The same on every run and CPU unless a wall clock is set, whatever the order of who.others.
[[nodiscard]] ExactResult exact_optimum(std::span<const Time> send_cost, const Participants& who,
                                        const ExactLimits& limits = {});

}  // namespace espalier::tree
