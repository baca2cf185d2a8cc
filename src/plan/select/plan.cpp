#include "select/plan.hpp"

#include "base/contract.hpp"
#include "base/match.hpp"
#include "collective/tree_links.hpp"
#include "select/speed_tree.hpp"
#include "topology/views.hpp"

namespace espalier::select {
namespace {

using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using collective::StripedChoice;
using collective::Top;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;

/// A rank's part of a broadcast or reduction along one tree.
Program tree_part(const tree::CommTree& tree, std::uint64_t segment, const Collective& call,
                  Rank rank) {
  const collective::TreeLinks links = collective::links_of(tree, rank, segment);
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

bool can_do(const Plan& plan, const collective::Hierarchy& hierarchy, const Collective& call) {
  return std::visit(
      Match{[&](const MultilevelChoice&) { return collective::multilevel_supports(call); },
            [&](const StripedChoice& choice) {
              return collective::striped_supports(hierarchy, choice, call);
            },
            [&](const TwoLevel&) { return collective::multilevel_supports(call); },
            [&](const BlindTree&) {
              return call.operation == Operation::Broadcast ||
                     (call.operation == Operation::Reduce && call.commutative);
            },
            [&](const SpeedTree& tree) {
              return call.operation == Operation::Broadcast && is_speed_tree(tree.name);
            },
            [&](const Classical& classical) {
              const auto* algorithm =
                  collective::find_flat_algorithm(call.operation, classical.name);
              return algorithm != nullptr && algorithm->applicable(call) &&
                     (call.commutative || algorithm->keeps_rank_order);
            },
            [&](const AlongTree& along) {
              const auto* algorithm = collective::find_flat_algorithm(call.operation, along.name);
              return algorithm != nullptr &&
                     collective::along_tree_supports(hierarchy.machine(), *algorithm, call);
            },
            [&](const FixedOrder&) { return collective::fixed_order_supports(call); }},
      plan);
}

Program own_part(const Plan& plan, const collective::Hierarchy& hierarchy, const Collective& call,
                 Rank rank) {
  return std::visit(
      Match{[&](const MultilevelChoice& choice) {
              return multilevel_program(hierarchy, choice, call, rank);
            },
            [&](const StripedChoice& choice) {
              return striped_program(hierarchy, choice, call, rank);
            },
            [&](const TwoLevel& baseline) {
              const topology::Machine view =
                  topology::two_level_view(hierarchy.machine(), baseline.depth);
              return multilevel_program(collective::Hierarchy(view), baseline.choice, call, rank);
            },
            [&](const BlindTree& tree) {
              return tree_part(blind_tree(tree.shape, call.size, call.root), tree.segment, call,
                               rank);
            },
            [&](const SpeedTree& tree) {
              return tree_part(speed_tree(tree, hierarchy.machine(), call), 0, call, rank);
            },
            [&](const Classical& classical) {
              const auto* algorithm =
                  collective::find_flat_algorithm(call.operation, classical.name);
              expects(algorithm != nullptr, "own_part: there is no such algorithm");
              return algorithm->build(call, rank);
            },
            [&](const AlongTree& along) {
              const auto* algorithm = collective::find_flat_algorithm(call.operation, along.name);
              expects(algorithm != nullptr, "own_part: there is no such algorithm");
              return along_tree_program(hierarchy.machine(), *algorithm, call, rank);
            },
            [&](const FixedOrder& fixed) {
              return fixed_order_program(hierarchy, fixed.choice, call, rank);
            }},
      plan);
}

bool knows_topology(const Plan& plan) {
  return !std::holds_alternative<BlindTree>(plan) && !std::holds_alternative<Classical>(plan) &&
         !std::holds_alternative<TwoLevel>(plan);
}

}  // namespace espalier::select
