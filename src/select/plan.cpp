#include "select/plan.hpp"

#include <fmt/format.h>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "collective/links.hpp"
#include "collective/tree_broadcast.hpp"
#include "collective/tree_reduce.hpp"
#include "select/blind_tree.hpp"

namespace espalier::select {
namespace {

using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using collective::Top;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using schedule::Program;

template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Match(Cases...) -> Match<Cases...>;

const char* name_of_shape(Shape shape) {
  switch (shape) {
    case Shape::Flat:
      return "flat";
    case Shape::Chain:
      return "chain";
    case Shape::Binary:
      return "binary";
    case Shape::Binomial:
      return "binomial";
  }
  return "?";
}

std::string segment_text(std::uint64_t segment, const Collective& call) {
  return to_string(Bytes{segment * call.element.value});
}

std::string with_segment(std::string name, std::uint64_t segment, const Collective& call) {
  return segment == 0 ? name : fmt::format("{} {}", name, segment_text(segment, call));
}

/// Levels that do the same side by side are told once.
std::string multilevel_name(const MultilevelChoice& choice, const Collective& call) {
  const auto uniform_segment = [&] {
    for (const LevelChoice& level : choice.levels) {
      if (level.segment != choice.levels.front().segment) return false;
    }
    return true;
  }();
  std::string text;
  std::string before;
  for (std::size_t l = 0; l < choice.levels.size(); ++l) {
    std::string here =
        l == 0 && choice.top == Top::Exchange ? "exchange" : name_of_shape(choice.levels[l].shape);
    if (!uniform_segment) here = with_segment(std::move(here), choice.levels[l].segment, call);
    if (l > 1 && here == before) continue;
    text += (text.empty() ? "" : "/") + here;
    before = std::move(here);
  }
  if (uniform_segment) text = with_segment(text, choice.levels.front().segment, call);
  return "multilevel " + text;
}

Program blind_part(const BlindTree& plan, const Collective& call, Rank rank) {
  const collective::Links links =
      collective::links_of(blind_tree(plan.shape, call.size, call.root), rank, plan.segment);
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

bool can_do(const Plan& plan, const Collective& call) {
  return std::visit(
      Match{[&](const MultilevelChoice&) { return collective::multilevel_supports(call); },
            [&](const BlindTree&) {
              return call.operation == Operation::Broadcast ||
                     (call.operation == Operation::Reduce && call.commutative);
            },
            [&](const Classical& classical) {
              const auto* algorithm =
                  collective::find_flat_algorithm(call.operation, classical.name);
              return algorithm != nullptr && algorithm->applicable(call) &&
                     (call.commutative || algorithm->keeps_rank_order);
            }},
      plan);
}

Program own_part(const Plan& plan, const collective::Hierarchy& hierarchy, const Collective& call,
                 Rank rank) {
  return std::visit(Match{[&](const MultilevelChoice& choice) {
                            return multilevel_program(hierarchy, choice, call, rank);
                          },
                          [&](const BlindTree& tree) { return blind_part(tree, call, rank); },
                          [&](const Classical& classical) {
                            const auto* algorithm =
                                collective::find_flat_algorithm(call.operation, classical.name);
                            expects(algorithm != nullptr, "own_part: there is no such algorithm");
                            return algorithm->build(call, rank);
                          }},
                    plan);
}

std::string name_of(const Plan& plan, const Collective& call) {
  return std::visit(
      Match{[&](const MultilevelChoice& choice) { return multilevel_name(choice, call); },
            [&](const BlindTree& tree) {
              return with_segment(name_of_shape(tree.shape), tree.segment, call);
            },
            [](const Classical& classical) { return classical.name; }},
      plan);
}

std::vector<std::string> per_level(const Plan& plan, const Collective& call) {
  std::vector<std::string> levels;
  const auto* choice = std::get_if<MultilevelChoice>(&plan);
  if (choice == nullptr) return levels;
  for (std::size_t l = 0; l < choice->levels.size(); ++l) {
    const LevelChoice& level = choice->levels[l];
    std::string text = l == 0 && choice->top == Top::Exchange
                           ? std::string("everybody with everybody")
                           : fmt::format("{} tree", name_of_shape(level.shape));
    text += level.segment == 0 ? ", whole messages"
                               : ", segments of " + segment_text(level.segment, call);
    levels.push_back(std::move(text));
  }
  return levels;
}

bool knows_topology(const Plan& plan) { return std::holds_alternative<MultilevelChoice>(plan); }

}  // namespace espalier::select
