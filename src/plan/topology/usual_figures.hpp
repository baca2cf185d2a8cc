#pragma once

#include <optional>
#include <span>
#include <string>

#include "topology/machine.hpp"

// What is assumed of a machine whose description has no figures: an ordinary cluster. The library
// assumes the same of the nodes that MPI reports, until it has measured them.

namespace espalier::topology {

/// Memory between the processes of a node: two of them copy at 40 Gbit/s, whoever else does.
inline constexpr Channel kUsualMemory{nanoseconds(500), kUnlimited,
                                      bits_per_second(40'000'000'000)};
/// A network between nodes, and the link of a node to it.
inline constexpr Channel kUsualNetwork{microseconds(50), kUnlimited, kUnlimited};
inline constexpr Uplink kUsualLink{
    bits_per_second(10'000'000'000), bits_per_second(10'000'000'000), false, {}};

/// Which figures a machine has not.
struct MissingFigures {
  bool latencies = false;   ///< no message between two processes takes any time but for its bytes
  bool bandwidths = false;  ///< bytes take no time anywhere
};
[[nodiscard]] MissingFigures missing_figures(const Machine& machine);

/// Figures of one level. Without one of them the level keeps what it has.
struct LevelFigures {
  std::optional<Time> latency;
  std::optional<Bandwidth> link;      ///< uplink of each member, both ways
  std::optional<Bandwidth> flow_cap;  ///< limit of each flow between two members
};
/// The same machine with these figures of every cluster and process of each level.
/// @pre one for each level, the outermost first
[[nodiscard]] Machine with_level_figures(Machine machine, std::span<const LevelFigures> figures);

/// A machine with figures, and what was assumed for that.
struct AssumedMachine {
  Machine machine;
  std::string note;  ///< one sentence; empty if nothing was assumed
};
/// The machine itself if its levels have latencies, or if messages cost its processes time. A level
/// without one gets that of an ordinary cluster: 500 ns between processes of a node, 50 us between
/// nodes, twice as much for each level further out; not more than the next level further out has,
/// nor less than the next one further in. With the latency comes a bandwidth, if messages of the
/// level pass nothing that has one: 40 Gbit/s for each flow inside a node, 10 Gbit/s for the link
/// of each node. A level joins nodes if its members are called neither processes nor parts of a
/// node; members without a name are processes if their level is the innermost of several.
[[nodiscard]] AssumedMachine with_usual_figures(Machine machine);

}  // namespace espalier::topology
