#include "collective/entries.hpp"
#include "collective/fixed_order.hpp"
#include "collective/level_names.hpp"
#include "collective/multilevel_time.hpp"
#include "collective/name_reader.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;

namespace {

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

}  // namespace

constexpr Algorithm kFixedOrder{
    .name = "fixed order",
    .source = "in the reference order of the ranks",
    .operations = {Operation::Reduce, Operation::Allreduce, Operation::ReduceScatter,
                   Operation::Scan, Operation::Exscan},
    .traits = {.keeps_rank_order = true,
               .in_reference_order = true,
               .knows_machine = true,
               .scales = true},
    .propose = fixed_order_proposals,
    .canonical = canonical_levels,
    .build = fixed_order_parts,
    .estimate = fixed_order_estimate,
    .text = multilevel_text,
    .read = read_fixed_order,
    .per_level = multilevel_levels};

}  // namespace espalier::collective
