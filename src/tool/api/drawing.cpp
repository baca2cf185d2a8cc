#include <espalier/drawing.hpp>

#include "api/plan_inside.hpp"
#include "report/draw_machine.hpp"
#include "report/simulated_plan.hpp"
#include "sim/simulate.hpp"

namespace espalier {

std::string to_svg(const Machine& machine) {
  return report::machine_svg(*machine.inside(), report::Detail::Folded);
}

std::string to_svg(const Plan& plan) {
  const topology::Machine& machine = *plan.machine().inside();
  const schedule::Schedule schedule = plan.inside()->schedule();
  sim::SimOptions options;
  options.trace = true;
  const report::SimulatedPlan simulated{
      plan.name(), schedule.call, sim::simulate(schedule, machine, options), {}};
  return report::timeline_svg(simulated, machine, report::Detail::Folded);
}

}  // namespace espalier
