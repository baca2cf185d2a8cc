#include "select/candidates.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::select {

using collective::Hierarchy;
using collective::RankOrder;
using schedule::Collective;

namespace {

std::string why_of(const Plan& plan) {
  const auto* order = std::get_if<RankOrder>(&plan.parameters);
  if (order != nullptr && *order == RankOrder::AlongTree) {
    return "the same with ranks as they lie in the machine";
  }
  return std::string(plan.algorithm->source);
}

}  // namespace

Candidate candidate_of(Plan plan, const Hierarchy& hierarchy, const Collective& call) {
  Candidate made{{}, name_of(plan, call), why_of(plan), knows_topology(plan), {}};
  made.program_of = parts_of(plan, hierarchy, call);
  made.plan = std::move(plan);
  return made;
}

std::vector<Plan> proposed_plans(const Hierarchy& hierarchy, const Collective& call, Bits bits,
                                 AlgorithmTable table) {
  expects(call.size == hierarchy.machine().size(), "candidates: call and machine differ in size");
  const bool in_order = bits == Bits::Reference && reduces(call.operation);
  std::vector<Plan> all;
  for (const Algorithm* algorithm : table) {
    if (algorithm->traits.in_reference_order != in_order) continue;
    for (collective::Parameters& parameters : collective::proposals(*algorithm, hierarchy, call)) {
      all.push_back({algorithm, std::move(parameters)});
    }
  }
  return all;
}

std::vector<Candidate> candidates(const Hierarchy& hierarchy, const Collective& call, Bits bits,
                                  AlgorithmTable table) {
  std::vector<Candidate> all;
  for (Plan& plan : proposed_plans(hierarchy, call, bits, table)) {
    all.push_back(candidate_of(std::move(plan), hierarchy, call));
  }
  return all;
}

std::optional<Candidate> candidate_called(const std::string& name, const Hierarchy& hierarchy,
                                          const Collective& call) {
  auto plan = plan_named(name, hierarchy, call);
  if (!plan) return std::nullopt;
  return candidate_of(*std::move(plan), hierarchy, call);
}

schedule::Schedule schedule_of(const Candidate& candidate, const Collective& call) {
  schedule::Schedule schedule{call, candidate.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(candidate.program_of(r));
  return schedule;
}

}  // namespace espalier::select
