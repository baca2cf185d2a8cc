#include "select/plan.hpp"

#include <fmt/format.h>

#include "base/contract.hpp"
#include "base/units.hpp"
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
    case Shape::Quadnomial:
      return "4-nomial";
    case Shape::Octonomial:
      return "8-nomial";
  }
  return "?";
}

std::string segment_text(std::uint64_t segment, const Collective& call) {
  return to_string(Bytes{segment * call.element.value});
}

std::string with_segment(std::string name, std::uint64_t segment, const Collective& call) {
  return segment == 0 ? name : fmt::format("{} {}", name, segment_text(segment, call));
}

std::string carriers_text(const collective::Carriers& carriers) {
  if (carriers.leaders == 1) return "1 leader";
  if (carriers.stripes == 1) return fmt::format("{} leaders", carriers.leaders);
  return fmt::format("{} leaders {} stripes", carriers.leaders, carriers.stripes);
}

/// Levels that do the same side by side are told once.
std::string multilevel_name(const MultilevelChoice& choice, const Collective& call) {
  if (call.operation == Operation::Alltoall) return carriers_text(choice.carriers);
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
  return text;
}

const char* name_of_inside(collective::Inside inside) {
  return inside == collective::Inside::Ring ? "ring" : "halving";
}
const char* name_of_across(collective::Across across) {
  switch (across) {
    case collective::Across::Exchange:
      return "exchange";
    case collective::Across::RecursiveDoubling:
      return "doubling";
    case collective::Across::Halving:
      return "halving";
    case collective::Across::Ring:
      return "ring";
  }
  return "?";
}

std::string striped_name(const StripedChoice& choice, const Collective& call) {
  const bool tree = call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
  std::string text = "striped ";
  if (tree) text += with_segment(name_of_shape(choice.tree.shape), choice.tree.segment, call) + "/";
  if (call.operation == Operation::Allreduce)
    text += std::string(name_of_across(choice.across)) + "/";
  text += name_of_inside(choice.inside);
  if (choice.parts != 0) text += fmt::format(" {} parts", choice.parts);
  return text;
}

/// The name of a two-level baseline by its clusters' depth: 1 is the outermost.
std::string by_cluster(std::uint32_t depth) { return fmt::format("two-level at depth {}", depth); }

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

std::string name_of(const Plan& plan, const Collective& call) {
  return std::visit(Match{[&](const MultilevelChoice& choice) {
                            return "multilevel " + multilevel_name(choice, call);
                          },
                          [&](const StripedChoice& choice) { return striped_name(choice, call); },
                          [&](const TwoLevel& baseline) {
                            return fmt::format("{} {}", by_cluster(baseline.depth),
                                               multilevel_name(baseline.choice, call));
                          },
                          [&](const BlindTree& tree) {
                            return with_segment(name_of_shape(tree.shape), tree.segment, call);
                          },
                          [](const SpeedTree& tree) { return tree.name; },
                          [](const Classical& classical) { return classical.name; },
                          [](const AlongTree& along) { return along.name + " along the machine"; },
                          [&](const FixedOrder& fixed) {
                            return "fixed order " + multilevel_name(fixed.choice, call);
                          }},
                    plan);
}

namespace {

std::string level_text(const LevelChoice& level, bool exchange, const Collective& call) {
  std::string text = exchange ? std::string("everybody with everybody")
                              : fmt::format("{} tree", name_of_shape(level.shape));
  return text + (level.segment == 0 ? ", whole messages"
                                    : ", segments of " + segment_text(level.segment, call));
}

}  // namespace

std::vector<std::string> per_level(const Plan& plan, const topology::Machine& machine,
                                   const Collective& call) {
  std::vector<std::string> levels;
  const auto* choice = std::get_if<MultilevelChoice>(&plan);
  if (const auto* fixed = std::get_if<FixedOrder>(&plan)) choice = &fixed->choice;
  if (choice != nullptr) {
    for (std::size_t l = 0; l < choice->levels.size(); ++l) {
      if (call.operation == Operation::Alltoall) {
        levels.push_back(l == 0 ? "a bundle for each pair of clusters, " +
                                      carriers_text(choice->carriers)
                                : std::string("gathered and scattered directly"));
        continue;
      }
      levels.push_back(level_text(choice->levels[l], l == 0 && choice->top == Top::Exchange, call));
    }
  } else if (const auto* striped = std::get_if<StripedChoice>(&plan)) {
    const bool tree = call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
    std::string across = "each block to one rank of each other cluster";
    if (tree) across = "each part along a " + level_text(striped->tree, false, call);
    if (call.operation == Operation::Allreduce) {
      across = fmt::format("each part among its owners: {}", name_of_across(striped->across));
    }
    levels.push_back(across);
    for (std::size_t l = 1; l < machine.levels().size(); ++l) {
      levels.push_back(l == 1 ? fmt::format("all ranks of a cluster share out: {}",
                                            name_of_inside(striped->inside))
                              : std::string("as above"));
    }
  }
  return levels;
}

bool knows_topology(const Plan& plan) {
  return !std::holds_alternative<BlindTree>(plan) && !std::holds_alternative<Classical>(plan) &&
         !std::holds_alternative<TwoLevel>(plan);
}

}  // namespace espalier::select
