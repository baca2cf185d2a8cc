// Broadcasts, reductions, gathers and scatters along one tree that looks at links and at the speeds
// of nodes at once.
#include <memory>

#include "collective/entries.hpp"
#include "collective/link_trees.hpp"
#include "collective/tree_gather.hpp"
#include "collective/whole_trees.hpp"
#include "cost/bundles.hpp"
#include "tree/earliest_completing_edge_first.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

/// With more ranks a search does not end, and finds little.
constexpr Rank kSearchedUpTo = 10;
constexpr std::uint64_t kSearchSteps = 8192;

constexpr Operations kEstimated{Operation::Broadcast, Operation::Reduce, Operation::Gather};

tree::CommTree by_search(const model::CostModel& model, Bytes size,
                         const topology::Machine& machine, Rank root) {
  return tree::searched_tree(model, size, tree::everybody(machine.size(), root), kSearchSteps);
}

schedule::Program block_program(const tree::CommTree& tree, const Collective& call, Rank rank) {
  schedule::ProgramBuilder program(rank);
  const TreeLinks links = links_of(tree, rank, 0);
  const auto below = bundles_below(tree, rank);
  const auto in = slice(schedule::Buffer::In, 0, units_in(call, rank));
  const auto out = slice(schedule::Buffer::Out, 0, units_out(call, rank));
  const bool is_root = rank == call.root;
  if (call.operation == Operation::Gather && is_root) {
    gather_at_root(program, links, below, in, schedule::Buffer::Out, call.block());
  } else if (call.operation == Operation::Gather) {
    gather_up(program, links, below, in);
  } else if (is_root) {
    scatter_from_root(program, links, below, in, call.block(), out);
  } else {
    scatter_down(program, links, below, out);
  }
  return std::move(program).build();
}

/// The tree depends on the length of blocks, which not all ranks know where they differ.
bool link_tree_refuses(const Hierarchy&, const Collective& call, const Parameters&) {
  return call.irregular();
}

/// Where all nodes are alike trees over levels are as good, unless the way over another cluster is
/// shorter than the direct one: those know no relays.
bool are_levels_enough(const Hierarchy& hierarchy) {
  return hierarchy.shape().equal_nodes && !hierarchy.shape().has_detours;
}

std::vector<Parameters> link_tree_proposals(const Hierarchy& hierarchy, const Collective& call) {
  if (are_levels_enough(hierarchy)) return {};
  return one_tree_a_segment(call);
}

PartOf link_tree_parts(TreeByLinks make, const Hierarchy& hierarchy, const Collective& call,
                       const Parameters& parameters) {
  const std::uint64_t segment = std::get<LevelChoice>(parameters).segment;
  tree::CommTree tree = link_tree(make, hierarchy.machine(), call, segment);
  if (call.operation == Operation::Broadcast || call.operation == Operation::Reduce) {
    return parts_along(std::move(tree), segment, call);
  }
  const auto shared = std::make_shared<const tree::CommTree>(std::move(tree));
  return [shared, &call](Rank rank) { return block_program(*shared, call, rank); };
}

Picos link_tree_estimate(TreeByLinks make, const CostView& cost_view, const Collective& call,
                         const Parameters& parameters) {
  const std::uint64_t segment = std::get<LevelChoice>(parameters).segment;
  const tree::CommTree tree = link_tree(make, cost_view.machine(), call, segment);
  const auto block = static_cast<double>(call.count * call.element.value);
  if (call.operation == Operation::Gather) {
    return gather_time(cost_view, cost::whole_tree(tree), block);
  }
  return time_along(tree, static_cast<double>(segment * call.element.value), cost_view, call);
}

template <TreeByLinks kTree, auto kPropose>
constexpr Algorithm tree_by_links(std::string_view name, std::string_view source,
                                  Operations operations) {
  return {.name = name,
          .source = source,
          .operations = operations,
          .traits = {.knows_machine = true},
          .refuses = link_tree_refuses,
          .propose = kPropose,
          .build =
              [](const Hierarchy& hierarchy, const Collective& call, const Parameters& parameters) {
                return link_tree_parts(kTree, hierarchy, call, parameters);
              },
          .estimate =
              [](const CostView& cost_view, const Hierarchy&, const Collective& call,
                 const Parameters& parameters) {
                return link_tree_estimate(kTree, cost_view, call, parameters);
              },
          .text = link_tree_text,
          .read = read_link_tree};
}

std::vector<Parameters> all_pairs_proposals(const Hierarchy& hierarchy, const Collective& call) {
  if (call.size > kAllPairsUpTo) return {};
  return link_tree_proposals(hierarchy, call);
}

/// Whole messages: a pipeline goes by its slowest rank, which a search does not look at.
std::vector<Parameters> search_proposals(const Hierarchy& hierarchy, const Collective& call) {
  if (call.size > kSearchedUpTo || are_levels_enough(hierarchy)) return {};
  return {LevelChoice{Shape::Flat, 0}};
}

/// On one level they are trees by all pairs.
std::vector<Parameters> by_cluster_proposals(const Hierarchy& hierarchy, const Collective& call) {
  const bool is_same = hierarchy.machine().clusters().size() == 1 && call.size <= kAllPairsUpTo;
  return is_same ? std::vector<Parameters>{} : link_tree_proposals(hierarchy, call);
}

}  // namespace

constexpr Algorithm kEdgeFirst = tree_by_links<by_all_pairs, all_pairs_proposals>(
    "ecef-la", "Bhat, Raghavendra, Prasanna, ICDCS 1999, with look-ahead", kEstimated);
/// What a scatter along such a tree takes depends on who waits for which link: it is simulated.
constexpr Algorithm kEdgeFirstScatter = [] {
  Algorithm scatter = kEdgeFirst;
  scatter.operations = {Operation::Scatter};
  scatter.estimate = nullptr;
  return scatter;
}();
constexpr Algorithm kEdgeFirstByCluster =
    tree_by_links<tree::edge_first_by_cluster, by_cluster_proposals>(
        "ecef-la by cluster", "the same among the fastest of each cluster", kEstimated);
constexpr Algorithm kSearchedTree = tree_by_links<by_search, search_proposals>(
    "searched", "ecef-la improved by a search, of few ranks",
    {Operation::Broadcast, Operation::Reduce});

}  // namespace espalier::collective
