#include "select/plan.hpp"

#include "base/contract.hpp"

namespace espalier::select {

using collective::Hierarchy;
using collective::RankOrder;
using schedule::Collective;

bool can_do(const Plan& plan, const Hierarchy& hierarchy, const Collective& call) {
  return collective::serves(*plan.algorithm, hierarchy, call, plan.parameters);
}

collective::PartOf parts_of(const Plan& plan, const Hierarchy& hierarchy, const Collective& call) {
  expects(can_do(plan, hierarchy, call), "parts_of: the plan cannot do this call");
  return plan.algorithm->build(hierarchy, call, plan.parameters);
}

schedule::Program own_part(const Plan& plan, const Hierarchy& hierarchy, const Collective& call,
                           Rank rank) {
  expects(rank < call.size && call.root < call.size, "own_part: a rank beyond the end");
  return parts_of(plan, hierarchy, call)(rank);
}

bool build_the_same(const Plan& a, const Plan& b, const Hierarchy& hierarchy,
                    const Collective& call) {
  const auto form = [&](const Plan& plan) {
    return collective::canonical(*plan.algorithm, hierarchy, call, plan.parameters);
  };
  return a.algorithm == b.algorithm && form(a) == form(b);
}

std::string name_of(const Plan& plan, const Collective& call) {
  return collective::name_of(*plan.algorithm, call, plan.parameters);
}

std::optional<Plan> plan_named(std::string_view name, const Hierarchy& hierarchy,
                               const Collective& call, AlgorithmTable table) {
  for (const Algorithm* algorithm : table) {
    if (auto found = collective::parameters_named(*algorithm, name, hierarchy, call)) {
      return Plan{algorithm, *std::move(found)};
    }
  }
  return std::nullopt;
}

std::vector<std::string> per_level(const Plan& plan, const topology::Machine& machine,
                                   const Collective& call) {
  if (plan.algorithm->per_level == nullptr) return {};
  return plan.algorithm->per_level(machine, call, plan.parameters);
}

bool knows_topology(const Plan& plan) {
  const auto* order = std::get_if<RankOrder>(&plan.parameters);
  return plan.algorithm->traits.knows_machine ||
         (order != nullptr && *order == RankOrder::AlongTree);
}

const collective::MultilevelChoice* levels_of(const Plan& plan) {
  return std::get_if<collective::MultilevelChoice>(&plan.parameters);
}

}  // namespace espalier::select
