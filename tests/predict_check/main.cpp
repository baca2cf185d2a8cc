// The predictor against the simulator: every candidate of every operation on a set of machines and
// sizes, predicted and simulated. As a test it holds the two figures of docs/prediction.md; with
// --table it prints them operation by operation, with --worst also the cases that are furthest off.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/units.hpp"
#include "select/candidates.hpp"
#include "select/predict.hpp"
#include "sim/simulate.hpp"
#include "support/long_run.hpp"
#include "topology/load_machine.hpp"

namespace espalier {
namespace {

using schedule::Collective;
using schedule::Operation;

struct NamedMachine {
  std::string name, text;
  bool cyclic = false;
};

std::vector<NamedMachine> machines(int random) {
  std::vector<NamedMachine> all = {
      {"three machines", "data/machines/three-machines.json"},
      {"three machines, cyclic", "data/machines/three-machines.json", true},
      {"karonis, figure 1", "data/machines/karonis-figure1.json"},
      {"one switch", "node:24(20us,10Gbit/s,send=1us,recv=1us)"},
      {"nodes of cores", "node:8(5us,25Gbit/s) proc:4(500ns,80Gbit/s,send=300ns,recv=300ns)"},
      {"five sites",
       "site:5(10ms,1Gbit/s) node:3(50us,10Gbit/s) proc:2(1us,40Gbit/s,send=1us,recv=1us)"},
      {"two near sites",
       "site:2(1.1ms,10Gbit/s) cluster:3|2(700us,10Gbit/s) "
       "node:8|8|7|8|8(300us,1Gbit/s,send=1us,recv=1us)"},
      {"cloud zones",
       "zone:3(600us,5Gbit/s) node:4|3|4(40us,10Gbit/s) proc:4(1us,60Gbit/s,send=1us,recv=1us)"},
  };
  // What no formula was made for.
  for (int seed = 1; seed <= random; ++seed) {
    all.push_back({fmt::format("random {}", seed), fmt::format("random:{}:24", seed)});
  }
  return all;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

struct Case {
  double error = 0;
  std::string what;
};

struct Tally {
  std::vector<double> errors;        // of all plans, in percent, without sign
  std::vector<double> close_errors;  // of those within twice the best
  int calls = 0, same = 0, as_good = 0;
  double worst_loss = 1;
};

void add(Tally& to, const Tally& from) {
  to.errors.insert(to.errors.end(), from.errors.begin(), from.errors.end());
  to.close_errors.insert(to.close_errors.end(), from.close_errors.begin(), from.close_errors.end());
  to.calls += from.calls;
  to.same += from.same;
  to.as_good += from.as_good;
  to.worst_loss = std::max(to.worst_loss, from.worst_loss);
}

/// All plans for one call.
Tally compare(const NamedMachine& named, const collective::Hierarchy& hierarchy,
              const select::CostView& cost_view, const Collective& call, std::vector<Case>& cases,
              std::vector<Case>& losses) {
  Tally tally;
  double best = 0, predicted_best = 0, best_predicted = 0, chosen = 0;
  std::string best_name, chosen_name;
  std::vector<std::pair<double, double>> both;
  const auto text = fmt::format("{}, {} of {}", named.name, name_of(call.operation),
                                to_string(Bytes{call.count * call.element.value}));
  for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
    const double simulated =
        to_microseconds(sim::simulate(call, candidate.program_of, hierarchy.machine()).finish);
    const double predicted =
        to_microseconds(select::predict(candidate.plan, cost_view, hierarchy, call));
    both.push_back({simulated, predicted});
    const double error = simulated > 0 ? 100 * (predicted - simulated) / simulated : 0;
    tally.errors.push_back(std::abs(error));
    cases.push_back({error, fmt::format("{}: {} simulated {:.1f} us, predicted {:.1f}", text,
                                        candidate.name, simulated, predicted)});
    if (best_name.empty() || simulated < best) {
      best = simulated;
      predicted_best = predicted;
      best_name = candidate.name;
    }
    if (chosen_name.empty() || predicted < best_predicted) {
      best_predicted = predicted;
      chosen = simulated;
      chosen_name = candidate.name;
    }
  }
  for (const auto& [simulated, predicted] : both) {
    if (simulated <= 2 * best && simulated > 0) {
      tally.close_errors.push_back(100 * std::abs(predicted - simulated) / simulated);
    }
  }
  tally.calls = 1;
  tally.same = chosen_name == best_name || chosen == best ? 1 : 0;
  tally.as_good = chosen <= 1.03 * best ? 1 : 0;
  tally.worst_loss = best > 0 ? chosen / best : 1;
  if (tally.as_good == 0) {
    losses.push_back(
        {100 * (chosen / best - 1),
         fmt::format(
             "{}: chose {} ({:.1f} us, predicted {:.1f}), best {} ({:.1f}, predicted {:.1f})", text,
             chosen_name, chosen, best_predicted, best_name, best, predicted_best)});
  }
  return tally;
}

void print(const std::string& name, const Tally& tally) {
  fmt::print("{:<16} {:>6} {:>9.2f} {:>8.2f} {:>8.2f} {:>6} {:>7.1f} {:>9.1f} {:>8.2f}\n", name,
             tally.errors.size(), median(tally.errors), quantile(tally.errors, 0.9),
             median(tally.close_errors), tally.calls, 100.0 * tally.same / tally.calls,
             100.0 * tally.as_good / tally.calls, tally.worst_loss);
}

int run(bool table, bool worst, int random) {
  const std::vector<std::uint64_t> sizes =
      table || is_long_run() ? std::vector<std::uint64_t>{8, 1024, 16384, 131072, 1048576}
                             : std::vector<std::uint64_t>{8, 131072};
  const std::vector<NamedMachine> tried = machines(random);
  std::vector<Case> cases, losses;
  Tally all;
  if (table) {
    fmt::print("{:<16} {:>6} {:>9} {:>8} {:>8} {:>6} {:>7} {:>9} {:>8}\n", "operation", "plans",
               "median %", "90 % %", "close %", "calls", "same %", "as good %", "worst x");
  }
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    Tally tally;
    for (const NamedMachine& named : tried) {
      auto loaded = topology::load_machine(named.text);
      if (!loaded) {
        fmt::print(stderr, "{}: {}\n", named.text, to_string(loaded.error()));
        return 2;
      }
      topology::Machine machine = loaded->machine;
      if (named.cyclic) machine = with_placement(machine, cyclic_placement(machine));
      const collective::Hierarchy hierarchy(machine);
      const select::CostView cost_view(machine);
      for (const std::uint64_t bytes : sizes) {
        if (operation == Operation::Barrier && bytes > 8) continue;
        const bool blocks = operation == Operation::Allgather || operation == Operation::Alltoall ||
                            operation == Operation::Gather || operation == Operation::Scatter ||
                            operation == Operation::ReduceScatter;
        if (blocks && bytes > 131072) continue;
        const Collective call{operation,
                              machine.size(),
                              machine.size() / 3,
                              operation == Operation::Barrier ? 0 : bytes / 8,
                              Bytes{8},
                              true,
                              {}};
        add(tally, compare(named, hierarchy, cost_view, call, cases, losses));
      }
    }
    if (table) print(std::string(name_of(operation)), tally);
    add(all, tally);
  }
  print("all", all);
  if (worst) {
    const auto by_error = [](const Case& a, const Case& b) {
      return std::abs(a.error) > std::abs(b.error);
    };
    std::sort(cases.begin(), cases.end(), by_error);
    std::sort(losses.begin(), losses.end(), by_error);
    for (const Case& c : std::span(losses).first(std::min<std::size_t>(30, losses.size())))
      fmt::print("{:+7.1f} % {}\n", c.error, c.what);
    for (const Case& c : std::span(cases).first(std::min<std::size_t>(60, cases.size())))
      fmt::print("{:+7.1f} % {}\n", c.error, c.what);
  }
  const bool good = median(all.close_errors) < 3 && 100.0 * all.as_good / all.calls >= 95;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace espalier

int main(int argc, char** argv) {
  bool table = false, worst = false;
  int random = espalier::is_long_run() ? 6 : 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--table") == 0) table = true;
    if (std::strcmp(argv[i], "--worst") == 0) table = worst = true;
    if (std::strcmp(argv[i], "--random") == 0 && i + 1 < argc) random = std::atoi(argv[i + 1]);
  }
  return espalier::run(table, worst, random);
}
