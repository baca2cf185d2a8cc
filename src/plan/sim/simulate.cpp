#include "sim/engine.hpp"
#include "sim/simulate_within.hpp"

namespace espalier::sim {

using schedule::Collective;
using schedule::Program;
using schedule::Schedule;
using topology::Machine;

SimResult simulate(const Schedule& schedule, const Machine& machine, const SimOptions& options) {
  Budget unlimited = Budget::unlimited();
  return *simulate_within(unlimited, schedule, machine, options);
}

SimResult simulate(const Collective& call, const std::function<Program(Rank)>& program_of,
                   const Machine& machine, const SimOptions& options) {
  Budget unlimited = Budget::unlimited();
  return *simulate_within(unlimited, call, program_of, machine, options);
}

std::optional<SimResult> simulate_within(Budget& budget, const Schedule& schedule,
                                         const Machine& machine, const SimOptions& options) {
  const bool irregular = schedule.call.irregular();
  TaskGraphBuilder builder(irregular ? Bytes{0} : schedule.call.element);
  std::size_t ops = 0;
  for (const Program& program : schedule.programs) ops += program.ops.size();
  builder.reserve(ops);
  for (const Program& program : schedule.programs) builder.add(program);
  std::optional<BlockLengths> lengths;
  if (irregular) lengths.emplace(schedule);
  return Engine(std::move(builder).finish(), machine, options, lengths ? &*lengths : nullptr)
      .run(budget);
}

std::optional<SimResult> simulate_within(Budget& budget, const Collective& call,
                                         const std::function<Program(Rank)>& program_of,
                                         const Machine& machine, const SimOptions& options) {
  if (call.irregular()) {  // the lengths of blocks are followed through all programs
    Schedule schedule{call, "", {}};
    for (Rank r = 0; r < machine.size(); ++r) schedule.programs.push_back(program_of(r));
    return simulate_within(budget, schedule, machine, options);
  }
  TaskGraphBuilder builder(call.element);
  for (Rank r = 0; r < machine.size(); ++r) builder.add(program_of(r));
  return Engine(std::move(builder).finish(), machine, options, nullptr).run(budget);
}

SimResult simulate_as_exactly_as(Budget budget, const Schedule& schedule, const Machine& machine,
                                 SimOptions& options) {
  if (auto result = simulate_within(budget, schedule, machine, options)) return *std::move(result);
  options.sharing = Sharing::OneBottleneck;
  return simulate(schedule, machine, options);
}

SimResult simulate_as_exactly_as(Budget budget, const Collective& call,
                                 const std::function<Program(Rank)>& program_of,
                                 const Machine& machine, SimOptions& options) {
  if (auto result = simulate_within(budget, call, program_of, machine, options)) {
    return *std::move(result);
  }
  options.sharing = Sharing::OneBottleneck;
  return simulate(call, program_of, machine, options);
}

}  // namespace espalier::sim
