#include "collective/families.hpp"
#include "collective/fixed_order.hpp"
#include "collective/level_names.hpp"
#include "collective/multilevel_time.hpp"
#include "collective/name_reader.hpp"

namespace espalier::collective {

using schedule::Collective;

std::vector<Parameters> fixed_order_proposals(const Hierarchy& hierarchy, const Collective& call) {
  return trees_of_two_shapes(hierarchy, call);
}

PartOf fixed_order_parts(const Hierarchy& hierarchy, const Collective& call,
                         const Parameters& parameters) {
  return [&, choice = std::get<MultilevelChoice>(parameters)](Rank rank) {
    return fixed_order_program(hierarchy, choice, call, rank);
  };
}

cost::Picos fixed_order_estimate(const cost::CostView& cost_view, const Hierarchy& hierarchy,
                                 const Collective& call, const Parameters& parameters) {
  MultilevelChoice choice = std::get<MultilevelChoice>(parameters);
  choice.top = Top::Tree;
  return multilevel_time(choice, bytes_of_segments(choice, call), cost_view, hierarchy, call,
                         Partials::Blocks);
}

std::optional<Parameters> read_fixed_order(NameReader& reader, const Hierarchy& hierarchy) {
  if (!reader.take(" ")) return std::nullopt;
  auto choice = read_levels(reader, hierarchy.machine().levels().size());
  if (!choice || choice->top == Top::Exchange) return std::nullopt;
  return *std::move(choice);
}

}  // namespace espalier::collective
