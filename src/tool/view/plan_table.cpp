#include "view/plan_table.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "bound/lower_bound.hpp"
#include "select/candidates.hpp"
#include "select/ranking.hpp"

namespace espalier::view {

sim::SimOptions conditions(bool trace) {
  sim::SimOptions options;
  options.trace = trace;
  options.sharing = sim::Sharing::ExactMaxMin;  // within a budget, as espalier plan
  return options;
}

select::SimulatedTimes times_for_table(const collective::Hierarchy& hierarchy,
                                       const schedule::Collective& call, std::uint64_t messages) {
  return {hierarchy, call, messages, conditions(false)};
}

PlanTable make_table(select::Chooser& chooser, const schedule::Collective& call,
                     std::uint64_t messages) {
  const collective::Hierarchy& hierarchy = chooser.hierarchy();
  PlanTable table;
  table.call = call;
  table.simulated_messages = messages;
  const select::Plan chosen = *chooser.choose(call, select::WhichPlan::Best).plan;
  table.ranked = select::ranking(hierarchy, chooser.predictor().cost_view(), call);
  std::erase_if(table.ranked, [&](const select::Choice& one) { return one.plan == chosen; });
  table.ranked.insert(table.ranked.begin(), {chosen, chooser.predictor()(chosen, call)});
  select::SimulatedTimes simulated = times_for_table(hierarchy, call, messages);
  for (const select::Choice& one : table.ranked) {
    table.rows.push_back({name_of(one.plan, call), one.predicted, simulated.of(one.plan)});
  }
  const bound::LowerBound least = bound::lower_bound(hierarchy.machine(), call);
  table.bound = least.value;
  table.because = describe(least.witness, hierarchy.machine());
  return table;
}

std::uint64_t messages_in(const select::Plan& plan, const collective::Hierarchy& hierarchy,
                          const schedule::Collective& call, std::uint64_t enough) {
  const auto candidate = candidate_of(plan, hierarchy, call);
  std::uint64_t messages = 0;
  for (Rank rank = 0; rank < call.size && messages <= enough; ++rank) {
    const schedule::Program program = candidate.program_of(rank);
    for (const schedule::Op& op : program.ops) {
      if (op.kind != schedule::OpKind::Send) continue;
      messages += op.peer != kNoRank ? 1 : program.sets[op.peers].size();
    }
  }
  return messages;
}

void sort_rows(std::vector<PlanRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const PlanRow& a, const PlanRow& b) {
    const auto known = [](const PlanRow& r) { return r.simulated ? r.simulated : r.predicted; };
    return known(a).value_or(kForever) < known(b).value_or(kForever);
  });
}

Json rows_json(const std::vector<PlanRow>& rows) {
  const auto time = [](const std::optional<Time>& t) {
    return t && *t != kForever ? Json(t->picoseconds) : Json(nullptr);
  };
  Json list = Json::array();
  for (const PlanRow& row : rows) {
    list.push_back({{"plan", row.name},
                    {"kind", plan_kind(row.name)},
                    {"predicted_ps", time(row.predicted)},
                    {"simulated_ps", time(row.simulated)}});
  }
  return list;
}

std::string plan_kind(const std::string& plan) {
  const std::size_t first = plan.find_first_of(" /");
  if (first == std::string::npos) return plan;
  const std::string word = plan.substr(0, first);
  const std::string second =
      plan.substr(first + 1, plan.find_first_of(" /", first + 1) - first - 1);
  return second == "exchange" ? word + " " + second : word;
}

}  // namespace espalier::view
