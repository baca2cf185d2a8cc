#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/text_tree.hpp"
#include "topology/machine.hpp"

namespace espalier::report {

/// A part of a machine as drawings show it: a cluster or process, or a run of equal ones.
struct OutlineNode {
  bool is_leaf = false;
  std::uint32_t id = 0;     ///< ClusterId or Leaf of the first part of the run
  std::uint32_t count = 1;  ///< number of equal neighbours that the run has
  topology::Leaf first_leaf = 0;
  std::uint32_t leaf_count = 0;  ///< number of leaves in the whole run
  bool has_twins = false;        ///< whether it is below a run, so that equal parts exist elsewhere
  /// The first part of the innermost run around it whose other parts have other names here; 0:
  /// none.
  topology::ClusterId named_as_in = 0;
};

/// A machine as a tree of such parts; `links` has the shape, `nodes[0]` is the whole machine.
/// Below a run of clusters are the parts of its first one.
struct Outline {
  std::vector<OutlineNode> nodes;
  std::vector<TreeNode> links;
};

/// What is taken together: all equal neighbours, only equal processes, or nothing.
enum class Fold : std::uint8_t { EqualNeighbours, EqualProcesses, Nothing };

/// Neighbours are equal if all below them is: the same shape, channels, uplinks, pairs and costs.
/// Names and ranks may differ. O(n log n).
[[nodiscard]] Outline outline(const topology::Machine& machine, Fold fold);

/// "wan"; where the channel has no name, after what it joins: "sites"; else "level 0".
[[nodiscard]] std::string channel_name(const topology::Machine& machine, std::uint32_t level);
/// "site", "node", "process": what the members of level `level` are called.
[[nodiscard]] std::string noun(const topology::Machine& machine, std::uint32_t level,
                               bool is_process);
/// "site anl", "node3", "4 x node n[0-3]", "process 0", "the whole machine"; "4 x node n[0-3]
/// (names as in Paris)" below a run of unlike names.
[[nodiscard]] std::string title(const topology::Machine& machine, const OutlineNode& node);

/// A number for the site of a rank, to colour it by: its outermost cluster, or 0 if it is in none.
[[nodiscard]] std::uint32_t site_of(const topology::Machine& machine, Rank rank);

/// Machine::describe(), or "" where that says no more than the rank does: on a machine of one level
/// without names.
[[nodiscard]] std::string place_of(const topology::Machine& machine, Rank rank);

/// "0-15,32", or "0-15,…" where it stands for twins elsewhere too.
[[nodiscard]] std::string ranks_in_words(const topology::Machine& machine, const OutlineNode& node);

/// The one child if it is a run of processes, the usual inside of a node; else nullptr.
[[nodiscard]] const OutlineNode* only_processes(const Outline& outline, std::uint32_t node);

}  // namespace espalier::report
