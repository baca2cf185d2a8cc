#include "reproduce/dichev_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "select/block_counts.hpp"
#include "select/irregular.hpp"
#include "topology/readers.hpp"

namespace espalier::reproduce {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

Machine machine_of(const std::string& text) {
  auto machine = topology::parse_synthetic(text);
  expects(machine.has_value(), "dichev: a machine of the experiment is not understood");
  return *std::move(machine);
}

Machine placed(const Machine& machine, const std::string& placement, std::uint64_t seed) {
  if (placement == "cyclic") return with_placement(machine, cyclic_placement(machine));
  if (placement == "random") return with_placement(machine, random_placement(machine, seed));
  return machine;
}

void add_run(std::vector<DichevCase>& cases, const std::string& network, const Machine& machine,
             const std::string& placement, const std::string& distribution, Bytes mean,
             std::uint64_t seed) {
  const Machine here = placed(machine, placement, seed);
  const std::string text =
      distribution == "cpu-speed" ? distribution : fmt::format("{}:{}", distribution, seed);
  auto counts = select::counts_from(text, here, mean);
  expects(counts.has_value(), "dichev: a distribution of the experiment is not understood");
  for (const Operation operation : {Operation::Scatter, Operation::Gather}) {
    Collective call{operation, here.size(), 0, 0, Bytes{1}, true, *counts};
    cases.push_back({network, placement, distribution, mean, here, std::move(call)});
  }
}

double less(Time original, Time now) { return 100 * (1 - to_seconds(now) / to_seconds(original)); }

}  // namespace

std::vector<DichevCase> dichev_switch(std::uint64_t seed) {
  // CPU speeds as of a small cluster of mixed age.
  const Machine machine =
      machine_of("proc:14(50us,1Gbit/s,send=10us,recv=10us,speed=1*4|1.2*3|1.5*3|1.8*2|2.2*2)");
  std::vector<DichevCase> cases;
  for (const char* distribution : {"cpu-speed", "powerlaw", "giant"}) {
    for (const std::uint64_t mean : {10'000ULL, 100'000ULL, 1'000'000ULL}) {
      add_run(cases, "switch", machine, "random", distribution, Bytes{mean}, seed);
    }
  }
  return cases;
}

std::vector<DichevCase> dichev_grid(std::uint64_t seed) {
  constexpr std::array kWans{"10ms,1Gbit/s", "10ms,100Mbit/s", "10ms,10Gbit/s,cap=52Mbit/s"};
  std::vector<DichevCase> cases;
  for (const char* wan : kWans) {
    const Machine machine =
        machine_of(fmt::format("site:2({}) cluster:3|2(100us,1Gbit/s) "
                               "proc:8|7|8|8|8(50us,1Gbit/s,send=10us,recv=10us,"
                               "speed=1*8|1.6*7|1.2*8|2*8|1.4*8)",
                               wan));
    for (const char* placement : {"block", "cyclic", "random"}) {
      for (const std::uint64_t mean : {1'000ULL, 10'000ULL, 100'000ULL, 1'000'000ULL}) {
        add_run(cases, wan, machine, placement, "cpu-speed", Bytes{mean}, seed);
      }
    }
  }
  return cases;
}

Time DichevRow::of(std::string_view name) const {
  const auto it = std::find(kDichevTrees.begin(), kDichevTrees.end(), name);
  expects(it != kDichevTrees.end(), "dichev: there is no such tree");
  return tree[static_cast<std::size_t>(it - kDichevTrees.begin())];
}
double DichevRow::minimum_first_gain() const { return less(of("binomial"), of("minimum-first")); }
double DichevRow::maximum_first_gain() const { return less(of("binomial"), of("maximum-first")); }
double DichevRow::traeff_gain() const { return less(of("traeff"), of("model-traeff")); }

DichevRow dichev_row(const DichevCase& one, std::uint32_t trials) {
  select::IrregularConditions conditions;
  conditions.trials = trials;
  conditions.sim = select::smpi_conditions(one.machine);
  DichevRow row;
  for (std::size_t t = 0; t < kDichevTrees.size(); ++t) {
    select::IrregularPlan plan =
        select::irregular_plan(kDichevTrees[t], one.machine, one.call, conditions);
    plan.sending = collective::Sending::OneByOne;
    row.tree[t] = select::predict(plan, one.machine, one.call, conditions.sim);
  }
  const select::IrregularChoice best =
      select::irregular_ranking(one.machine, one.call, conditions).front();
  row.ours = best.predicted;
  row.plan = name_of(best.plan);
  return row;
}

}  // namespace espalier::reproduce
