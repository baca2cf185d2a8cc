#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/json_text.hpp"
#include "report/outline.hpp"
#include "report/simulated_plan.hpp"

namespace espalier::report {
namespace {

using sim::CriticalStep;

/// null for what never comes.
Json time_json(Time t) { return t == kForever ? Json(nullptr) : Json(t.picoseconds); }
Json rank_json(Rank rank) { return rank == kNoRank ? Json(nullptr) : Json(rank); }

Json ranks_json(const SimulatedPlan& plan) {
  Json ranks = Json::array();
  for (Rank r = 0; r < plan.result.rank_finish.size(); ++r) {
    const Time entered = plan.entered.empty() ? Time{0} : plan.entered[r];
    ranks.push_back({{"rank", r},
                     {"entered_ps", entered.picoseconds},
                     {"finish_ps", time_json(plan.result.rank_finish[r])}});
  }
  return ranks;
}

Json levels_json(const SimulatedPlan& plan, const topology::Machine& machine) {
  Json levels = Json::array();
  for (std::uint32_t l = 0; l < plan.result.levels.size(); ++l) {
    const bool itself = l >= machine.levels().size();
    levels.push_back({{"level", l},
                      {"name", itself ? "to itself" : channel_name(machine, l)},
                      {"messages", plan.result.levels[l].messages},
                      {"bytes", plan.result.levels[l].bytes.value}});
  }
  return levels;
}

Json resource_json(const sim::SimResult& result, sim::ResourceId id,
                   const topology::Machine& machine) {
  if (id == sim::kNoResource) return nullptr;
  return sim::describe(result.resources[id].resource, machine);
}

Json bottleneck_json(const sim::SimResult& result, const topology::Machine& machine) {
  if (result.bottleneck == sim::kNoResource) return nullptr;
  const sim::ResourceUse& use = result.resources[result.bottleneck];
  return {{"resource", sim::describe(use.resource, machine)},
          {"messages", use.messages},
          {"bytes", use.bytes.value},
          {"work_ps", time_json(transfer_time(use.bytes, use.resource.capacity))}};
}

Json path_json(const sim::SimResult& result, const topology::Machine& machine) {
  Json path = Json::array();
  for (const CriticalStep& step : result.critical_path) {
    Json level = nullptr;
    if (step.peer != kNoRank) level = machine.path(step.rank, step.peer).level;
    path.push_back({{"kind", name_of(step.kind)},
                    {"rank", step.rank},
                    {"peer", rank_json(step.peer)},
                    {"level", level},
                    {"begin_ps", step.begin.picoseconds},
                    {"end_ps", step.end.picoseconds},
                    {"slowed_by", resource_json(result, step.slowed_by, machine)}});
  }
  return path;
}

Json messages_json(const sim::SimResult& result) {
  Json messages = Json::array();
  for (const sim::MessageTrace& m : result.timeline) {
    messages.push_back({{"from", m.from},
                        {"to", m.to},
                        {"bytes", m.bytes.value},
                        {"level", m.level},
                        {"send_begin_ps", time_json(m.send_begin)},
                        {"send_end_ps", time_json(m.send_end)},
                        {"flows_ps", time_json(m.flows)},
                        {"arrived_ps", time_json(m.arrived)},
                        {"recv_begin_ps", time_json(m.recv_begin)},
                        {"recv_end_ps", time_json(m.recv_end)}});
  }
  return messages;
}

Json steps_json(const sim::SimResult& result) {
  Json steps = Json::array();
  for (const sim::StepTrace& s : result.steps) {
    steps.push_back({{"rank", s.rank},
                     {"kind", s.kind == schedule::OpKind::Copy      ? "copy"
                              : s.kind == schedule::OpKind::Compute ? "compute"
                                                                    : "reduce"},
                     {"begin_ps", time_json(s.begin)},
                     {"end_ps", time_json(s.end)}});
  }
  return steps;
}

}  // namespace

const char* name_of(sim::CriticalStep::Kind kind) {
  switch (kind) {
    case CriticalStep::Kind::Late:
      return "late";
    case CriticalStep::Kind::Send:
      return "send";
    case CriticalStep::Kind::Transfer:
      return "transfer";
    case CriticalStep::Kind::Recv:
      return "recv";
    case CriticalStep::Kind::Reduce:
      return "reduce";
    case CriticalStep::Kind::Compute:
      return "compute";
    case CriticalStep::Kind::Copy:
      break;
  }
  return "copy";
}

std::string simulation_json(const SimulatedPlan& plan, const topology::Machine& machine) {
  const schedule::Collective& call = plan.call;
  const sim::SimResult& result = plan.result;
  return json_text({{"format", "espalier-simulation-1"},
                    {"operation", name_of(call.operation)},
                    {"machine", {{"name", machine.name()}, {"processes", machine.size()}}},
                    {"root", call.root},
                    {"size_bytes", call.count * call.element.value},
                    {"commutative", call.commutative},
                    {"plan", plan.name},
                    {"finish_ps", time_json(result.finish)},
                    {"finish", result.finish == kForever ? "never" : rounded(result.finish)},
                    {"unmatched_messages", result.unmatched},
                    {"bottleneck", bottleneck_json(result, machine)},
                    {"levels", levels_json(plan, machine)},
                    {"ranks", ranks_json(plan)},
                    {"critical_path", path_json(result, machine)},
                    {"messages", messages_json(result)},
                    {"steps", steps_json(result)}});
}

}  // namespace espalier::report
