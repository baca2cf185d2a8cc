#pragma once

#include <string>

#include "report/table.hpp"
#include "topology/machine.hpp"

namespace espalier::report {

enum class Detail : std::uint8_t { Folded, Everything };

/// The machine as a tree of lines with its figures beside it. Folded: equal neighbours share a
/// line, and a machine of many different parts is cut to a screen or so.
[[nodiscard]] std::string draw_machine(const topology::Machine& machine, const Canvas& canvas,
                                       Detail detail);

/// One row a level: what its channel is called, how many clusters it joins, and the range of its
/// figures.
[[nodiscard]] Table level_table(const topology::Machine& machine);

/// One row for each two members of a cluster that have a latency or link of their own. Folded: a
/// dozen, and how many more there are.
[[nodiscard]] Table pair_table(const topology::Machine& machine, Detail detail);

/// One row a rank: where it is, its depth and its cluster id on each level (karonis2000), its
/// costs.
[[nodiscard]] Table rank_table(const topology::Machine& machine);

/// "grid: 12 processes, 3 levels (wan, lan, memory)"
[[nodiscard]] std::string machine_headline(const topology::Machine& machine);

/// The machine as boxes in boxes: each cluster with the bar of its channel (name, latency, in the
/// colour of its level), from which its members hang by their uplinks; processes are small boxes
/// with their rank. Folded: a large machine shows equal neighbours once, as a stack, and at most
/// a dozen parts of a cluster.
[[nodiscard]] std::string machine_svg(const topology::Machine& machine, Detail detail);

}  // namespace espalier::report
