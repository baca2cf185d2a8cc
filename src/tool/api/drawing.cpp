#include <fmt/format.h>

#include <espalier/drawing.hpp>

#include "api/plan_inside.hpp"
#include "report/draw_machine.hpp"
#include "report/simulated_plan.hpp"
#include "report/text.hpp"
#include "sim/simulate_within.hpp"

namespace espalier {
namespace {

std::string not_drawn() {
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40">)"
                     R"(<text x="8" y="25" font-family="sans-serif" font-size="14">)"
                     "This plan has more than {} messages, too many to be drawn.</text></svg>\n",
                     report::grouped(kMostDrawn));
}

}  // namespace

std::string to_svg(const Machine& machine) {
  return report::machine_svg(*machine.inside(), report::Detail::Folded);
}

std::string to_svg(const Plan& plan) {
  if (plan.inside()->messages(kMostDrawn) > kMostDrawn) return not_drawn();
  const topology::Machine& machine = *plan.machine().inside();
  const schedule::Schedule schedule = plan.inside()->schedule();
  sim::SimOptions options;
  options.trace = true;
  constexpr std::uint64_t kDrawnExactly = std::uint64_t{1} << 20U;
  const report::SimulatedPlan drawn{
      plan.name(),
      schedule.call,
      sim::simulate_as_exactly_as(sim::Budget(kDrawnExactly), schedule, machine, options),
      {}};
  return report::timeline_svg(drawn, machine, report::Detail::Folded);
}

}  // namespace espalier
