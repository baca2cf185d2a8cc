// Broadcasts and reductions along one tree over all ranks: by number, or by the ranks' speed.
#include <algorithm>
#include <memory>

#include "base/contract.hpp"
#include "collective/entries.hpp"
#include "collective/least_flat.hpp"
#include "collective/multilevel_time.hpp"
#include "collective/name_reader.hpp"
#include "collective/segments.hpp"
#include "collective/whole_trees.hpp"
#include "cost/predict_tree.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/shapes.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;

namespace {

schedule::Program part_along(const TreeLinks& links, const Collective& call, Rank rank) {
  schedule::ProgramBuilder program(rank);
  const auto out = slice(Buffer::Out, 0, units_out(call, rank));
  if (call.operation == Operation::Broadcast) {
    tree_broadcast(program, links, out);
  } else {
    tree_reduce(program, links, slice(Buffer::In, 0, units_in(call, rank)), out);
  }
  return std::move(program).build();
}

}  // namespace

PartOf parts_along(tree::CommTree tree, std::uint64_t segment, const Collective& call) {
  const auto shared = std::make_shared<const tree::CommTree>(std::move(tree));
  return [shared, segment, &call](Rank rank) {
    return part_along(links_of(*shared, rank, segment), call, rank);
  };
}

Picos time_along(const tree::CommTree& tree, double segment, const CostView& cost_view,
                 const Collective& call) {
  const double bytes = static_cast<double>(call.count * call.element.value);
  const std::vector<double> segments(cost_view.machine().levels().size(), segment);
  const cost::WholeTree whole = cost::whole_tree(tree);
  cost::TreePrediction prediction(cost_view, whole, bytes, segments);
  std::vector<cost::Stream> streams(call.size, {0, 0, bytes});
  if (call.operation == Operation::Reduce) {
    prediction.reduce(streams);
    return std::max(streams[call.root].last, prediction.busiest_link(true, streams));
  }
  prediction.broadcast(streams);
  Picos last = prediction.busiest_link(false, streams);
  for (const cost::Stream& stream : streams) last = std::max(last, stream.last);
  return last;
}

namespace {

/// Counted from the root.
tree::CommTree tree_of_all(Shape shape, const Collective& call) {
  const tree::Participants who = tree::everybody(call.size, call.root);
  switch (shape) {
    case Shape::Flat:
      return tree::flat(who);
    case Shape::Chain:
      return tree::chain(who);
    case Shape::Quadnomial:
    case Shape::Octonomial:
      return tree::knomial(who, radix_of(shape));
    case Shape::Binary:
    case Shape::Postal2:
    case Shape::Postal3:
    case Shape::Postal5:
    case Shape::Postal8:
    case Shape::Postal13:
    case Shape::Postal21:
      expects(false, "tree_of_all: binary and postal trees stand inside levels only");
      break;
    case Shape::Binomial:
      break;
  }
  return tree::binomial(who);
}

/// A tree over all ranks by what a message of the call's length costs each that sends it. Links are
/// not looked at. Whole messages.
using TreeBySpeed = tree::CommTree (*)(std::span<const Time>, const tree::Participants&);

/// Of reductions the mirror of FNF, by what receiving and combining cost.
tree::CommTree reduction_tree(const topology::Machine& machine, const Collective& call) {
  const Bytes size{call.count * call.element.value};
  std::vector<Time> receive(machine.size()), combine(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) {
    receive[r] = machine.costs(r).recv.of(size);
    combine[r] = transfer_time(size, machine.costs(r).reduce);
  }
  return tree::speed_aware_reduction_tree(receive, combine,
                                          tree::everybody(machine.size(), call.root));
}

tree::CommTree tree_for(TreeBySpeed make, const topology::Machine& machine,
                        const Collective& call) {
  if (call.operation == Operation::Reduce) return reduction_tree(machine, call);
  const Bytes size{call.count * call.element.value};
  std::vector<Time> costs(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) costs[r] = machine.costs(r).send.of(size);
  return make(costs, tree::everybody(machine.size(), call.root));
}

/// Wide trees where they are not flat, whole messages: pipelines want few children. None where
/// multilevel plans are these trees: on one level, whose ranks lie in order from any of them on.
std::vector<Parameters> tree_by_number_proposals(Shape shape, const Hierarchy& hierarchy,
                                                 const Collective& call) {
  const topology::Machine& machine = hierarchy.machine();
  if (machine.clusters().size() == 1 && hierarchy.shape().in_turn) return {};
  const bool is_wide = radix_of(shape) > 2;
  if (is_wide && radix_of(shape) >= call.size) return {};
  std::vector<Parameters> all;
  for (const std::uint64_t segment : segments_for(call)) {
    if (segment == 0 || !is_wide) all.push_back(LevelChoice{shape, segment});
  }
  return all;
}

PartOf tree_by_number_parts(const Hierarchy&, const Collective& call,
                            const Parameters& parameters) {
  // A rank's own place in the tree of tree_of_all(), without the others' places.
  return [level = std::get<LevelChoice>(parameters), &call](Rank rank) {
    const Participants all = all_participants(call.size, rank);
    return part_along(participants_links(level, rotated(all, call.root)), call, rank);
  };
}

Picos tree_by_number_estimate(const CostView& cost_view, const Hierarchy&, const Collective& call,
                              const Parameters& parameters) {
  const auto& level = std::get<LevelChoice>(parameters);
  return time_along(tree_of_all(level.shape, call),
                    static_cast<double>(level.segment * call.element.value), cost_view, call);
}

Picos tree_by_number_least(const Hierarchy& hierarchy, const Collective& call,
                           const Parameters& parameters) {
  if (call.size == 1) return 0;
  const auto& level = std::get<LevelChoice>(parameters);
  const auto segment = static_cast<double>(level.segment * call.element.value);
  const LeastFlat at(hierarchy, call, RankOrder::Rising);
  return call.operation == Operation::Broadcast ? least_down(at, level.shape, segment)
                                                : least_up(at, level.shape, segment);
}

std::optional<Picos> tree_by_number_folded(const FoldedMachine& machine, const Collective& call,
                                           const Parameters& parameters) {
  const auto& level = std::get<LevelChoice>(parameters);
  if (level.shape != Shape::Binomial) return std::nullopt;
  return folded_binomial_time(static_cast<double>(level.segment * call.element.value), machine,
                              call);
}

std::string tree_by_number_text(const Collective& call, const Parameters& parameters) {
  return with_segment("", std::get<LevelChoice>(parameters).segment, call);
}

std::optional<Parameters> read_tree_by_number(Shape shape, NameReader& reader) {
  const auto segment = reader.take_segment();
  if (!segment) return std::nullopt;
  return LevelChoice{shape, *segment};
}

std::vector<Parameters> tree_by_speed_proposals(const Hierarchy& hierarchy,
                                                const Collective& call) {
  const MachineShape& shape = hierarchy.shape();
  const bool is_even =
      call.operation == Operation::Reduce ? shape.equal_takers : shape.equal_senders;
  if (is_even) return {};
  return {RankOrder::Rising};
}

PartOf tree_by_speed_parts(TreeBySpeed make, const Hierarchy& hierarchy, const Collective& call) {
  return parts_along(tree_for(make, hierarchy.machine(), call), 0, call);
}

Picos tree_by_speed_estimate(TreeBySpeed make, const CostView& cost_view, const Collective& call) {
  return time_along(tree_for(make, cost_view.machine(), call), 0, cost_view, call);
}

/// What MPI libraries do without knowing the machine.
template <Shape kShape>
constexpr Algorithm tree_by_number(std::string_view name) {
  return {.name = name,
          .source = "one tree over all ranks by number",
          .operations = {Operation::Broadcast, Operation::Reduce},
          .traits = {.by_number = true, .scales = true},
          .propose =
              [](const Hierarchy& hierarchy, const schedule::Collective& call) {
                return tree_by_number_proposals(kShape, hierarchy, call);
              },
          .build = tree_by_number_parts,
          .estimate = tree_by_number_estimate,
          .at_least = tree_by_number_least,
          .estimate_folded = tree_by_number_folded,
          .text = tree_by_number_text,
          .read = [](NameReader& reader,
                     const Hierarchy&) { return read_tree_by_number(kShape, reader); }};
}

template <TreeBySpeed kTree>
constexpr Algorithm tree_by_speed(std::string_view name, Operations operations) {
  return {
      .name = name,
      .source = "Banikazemi, Moorthy, Panda, ICPP 1998",
      .operations = operations,
      .traits = {.knows_machine = true},
      .propose = tree_by_speed_proposals,
      .build = [](const Hierarchy& hierarchy, const schedule::Collective& call,
                  const Parameters&) { return tree_by_speed_parts(kTree, hierarchy, call); },
      .estimate = [](const cost::CostView& cost_view, const Hierarchy&,
                     const schedule::Collective& call,
                     const Parameters&) { return tree_by_speed_estimate(kTree, cost_view, call); }};
}

}  // namespace

constexpr Algorithm kFlatTree = tree_by_number<Shape::Flat>("flat");
constexpr Algorithm kChainTree = tree_by_number<Shape::Chain>("chain");
constexpr Algorithm kBinomialTree = tree_by_number<Shape::Binomial>("binomial");
constexpr Algorithm kQuadnomialTree = tree_by_number<Shape::Quadnomial>("4-nomial");
constexpr Algorithm kOctonomialTree = tree_by_number<Shape::Octonomial>("8-nomial");
constexpr Algorithm kFastestNodeFirst =
    tree_by_speed<tree::fastest_node_first>("fnf", {Operation::Broadcast, Operation::Reduce});
constexpr Algorithm kSpoc = tree_by_speed<tree::spoc>("spoc", {Operation::Broadcast});

}  // namespace espalier::collective
