#include <fmt/format.h>

#include "base/units.hpp"
#include "report/comparison.hpp"
#include "report/plot.hpp"

namespace espalier::report {
namespace {

constexpr double kLogFromRatio = 50;  // beyond it, a linear axis shows the slowest bar alone

bool spreads_wide(const std::vector<Contender>& contenders) {
  const auto best = contenders.front().finish.picoseconds;
  const auto worst = contenders.back().finish.picoseconds;
  return best > 0 && static_cast<double>(worst) / static_cast<double>(best) > kLogFromRatio;
}

}  // namespace

std::string comparison_svg(const Comparison& comparison, const topology::Machine& machine) {
  BarChart chart;
  chart.title =
      fmt::format("{} of {} on {}", name_of(comparison.operation), to_string(comparison.size),
                  machine.name().empty() ? counted(machine.size(), "process") : machine.name());
  chart.subtitle =
      fmt::format("{} of {}, {} rank {}, model {}; each message has its links to itself",
                  grouped(comparison.members), counted(machine.size(), "process"),
                  comparison.operation == schedule::Operation::Reduce ? "to" : "from",
                  comparison.root, comparison.model);
  const bool wide = spreads_wide(comparison.contenders);
  chart.value = {wide ? "finish time (logarithmic)" : "finish time",
                 wide ? Scale::Log : Scale::Linear, Unit::Seconds, true};
  chart.series = {"finish"};
  for (const Contender& c : comparison.contenders) {
    chart.groups.push_back({c.algorithm, {to_seconds(c.finish)}});
  }
  if (comparison.bound && comparison.bound->value > Time{}) {
    chart.reference =
        Reference{to_seconds(comparison.bound->value),
                  fmt::format("{} {}", comparison.bound->is_optimum ? "optimum" : "lower bound",
                              rounded(comparison.bound->value))};
  }
  return bar_chart(chart);
}

}  // namespace espalier::report
