#pragma once

#include <string>

#include "report/draw_machine.hpp"
#include "report/timed_tree.hpp"

namespace espalier::report {

/// The tree as lines, each with its place, the channel its message takes, when it is done, and a
/// time line: when its message is under way and when it sends. Folded: cut to a screen or so, the
/// critical path always in it.
[[nodiscard]] std::string draw_tree(const TimedTree& timed, const topology::Machine& machine,
                                    const Canvas& canvas, Detail detail);

/// For Graphviz: ranks coloured by their outermost cluster, edges numbered in the order of sending.
[[nodiscard]] std::string tree_dot(const TimedTree& timed, const topology::Machine& machine);

/// One row a rank from left (start) to right (finish), ranks in the order of the tree: bars where
/// a rank is busy, lines for messages, in the colour of their level.
[[nodiscard]] std::string tree_svg(const TimedTree& timed, const topology::Machine& machine,
                                   Detail detail);

/// The document "espalier-tree-1" of docs/formats.md.
[[nodiscard]] std::string tree_json(const TimedTree& timed, const topology::Machine& machine);

}  // namespace espalier::report
