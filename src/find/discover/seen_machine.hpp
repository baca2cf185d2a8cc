#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "discover/own_sockets.hpp"
#include "discover/round_trips.hpp"
#include "topology/machine.hpp"

namespace espalier::discover {

/// What the connections of all processes show of the way between nodes, without a probe.
class NodesSeen {
 public:
  /// Up to this many nodes: what the processes tell each other grows with the square.
  static constexpr Node kMost = 32;

  explicit NodesSeen(Node nodes);
  /// Adds what a process of node `from` sees of node `to`.
  void add(Node from, Node to, const PeerSeen& seen);
  /// What was seen, as numbers of which processes take the maximum one by one.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  /// @pre as many as numbers() has
  void take(std::span<const double> largest);

  [[nodiscard]] Node nodes() const { return nodes_; }
  /// Absent: no process of one has a connection to one of the other.
  [[nodiscard]] std::optional<Time> round_trip(Node a, Node b) const;
  /// Bytes of one connection from node a to node b; 0: not known.
  [[nodiscard]] Bandwidth rate(Node from, Node to) const;

 private:
  [[nodiscard]] std::size_t at(Node from, Node to) const { return from * nodes_ + to; }
  Node nodes_;
  /// Two squares: round trips in negative seconds (minus infinity: none), rates in bit/s.
  std::vector<double> numbers_;
};

/// A machine made of what connections show.
struct SeenMachine {
  topology::Machine machine;
  std::vector<std::string> words;  ///< what the connections told, a sentence each
};

/// Clusters and latencies by least round trips. Rates are assumed: 100 Mbit/s over links of 1 ms
/// and more, 10 Gbit/s over shorter ones, or the fastest connection that was seen there if that is
/// more. A single connection among others shows less than the link carries. Absent as long as
/// connections do not tell all clusters apart.
/// @param ranks of each node; together 0 .. n-1, each once
[[nodiscard]] std::optional<SeenMachine> machine_seen(const NodesSeen& seen,
                                                      std::span<const std::vector<Rank>> ranks);

}  // namespace espalier::discover
