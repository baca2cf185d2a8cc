#include "collective/link_trees.hpp"

#include "collective/name_reader.hpp"
#include "collective/segments.hpp"
#include "model/machine_models.hpp"
#include "model/time_reversed.hpp"
#include "tree/earliest_completing_edge_first.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;

tree::CommTree by_all_pairs(const model::CostModel& model, Bytes size,
                            const topology::Machine& machine, Rank root) {
  return tree::earliest_completing_edge_first_look_ahead(model, size,
                                                         tree::everybody(machine.size(), root));
}

tree::CommTree link_tree(TreeByLinks make, const topology::Machine& machine, const Collective& call,
                         std::uint64_t segment) {
  const Bytes size{(segment == 0 ? call.count : segment) * call.element.value};
  const model::Levels levels(machine);
  if (call.operation == Operation::Reduce) {
    return make(model::TimeReversedReduction(levels, machine), size, machine, call.root);
  }
  if (call.operation == Operation::Gather) {
    return make(model::TimeReversed(levels), size, machine, call.root);
  }
  return make(levels, size, machine, call.root);
}

std::vector<std::vector<Rank>> bundles_below(const tree::CommTree& tree, Rank rank) {
  std::vector<std::vector<Rank>> bundles;
  for (const Rank child : tree.children(rank)) {
    std::vector<Rank>& bundle = bundles.emplace_back(1, child);
    for (const std::vector<Rank>& below : bundles_below(tree, child)) {
      bundle.insert(bundle.end(), below.begin(), below.end());
    }
  }
  return bundles;
}

std::vector<Parameters> one_tree_a_segment(const Collective& call) {
  std::vector<Parameters> all;
  for (const std::uint64_t segment : segments_for(call)) {
    all.push_back(LevelChoice{Shape::Flat, segment});
  }
  return all;
}

std::string link_tree_text(const Collective& call, const Parameters& parameters) {
  return with_segment("", std::get<LevelChoice>(parameters).segment, call);
}

std::optional<Parameters> read_link_tree(NameReader& reader, const Hierarchy&) {
  const auto segment = reader.take_segment();
  if (!segment) return std::nullopt;
  return LevelChoice{Shape::Flat, *segment};
}

}  // namespace espalier::collective
