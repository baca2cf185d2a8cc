#pragma once

#include <vector>

#include "bound/distances.hpp"
#include "topology/machine.hpp"

namespace espalier::bound {

/// [rank] sending a message of no bytes there (or from there) and receiving it. O(P).
[[nodiscard]] std::vector<Time> hops_from(const topology::Machine& machine,
                                          const Distances& distances, Rank source);
[[nodiscard]] std::vector<Time> hops_to(const topology::Machine& machine,
                                        const Distances& distances, Rank target);

/// The least times in which a message of no bytes gets from one rank to each other (or from each
/// other to it), over any relays: latencies, and the fixed costs of sending and receiving of all
/// who handle it. What `to` ends with depends on what `from` has, so a chain of messages leads
/// there, each sent after the one before has been received: no plan is faster than the shortest.
struct RelayPaths {
  Rank end = 0;              ///< the one rank
  bool towards = false;      ///< true: from each rank to `end`; false: from `end` to each rank
  std::vector<Time> time;    ///< [rank] 0 for `end` itself
  std::vector<Rank> nearer;  ///< [rank] next rank towards `end`; kNoRank for `end` itself

  /// All ranks of a way, in the order of the messages.
  [[nodiscard]] std::vector<Rank> path(Rank other) const;
};

/// E. Dijkstra, "A note on two problems in connexion with graphs", 1959; dense, so without a heap:
/// O(P^2).
[[nodiscard]] RelayPaths paths_from(const topology::Machine& machine, const Distances& distances,
                                    Rank source);
[[nodiscard]] RelayPaths paths_to(const topology::Machine& machine, const Distances& distances,
                                  Rank target);

/// When each rank can have something worth sending at the earliest, and how long what it has
/// received is from its end at least. Zeros where nothing better is known.
struct Reach {
  std::vector<Time>
      earliest;  ///< [rank] least time from the root, if the operation begins there; else 0
  std::vector<Time>
      remaining;  ///< [rank] least time to the root, if the operation ends there; else 0
};

}  // namespace espalier::bound
