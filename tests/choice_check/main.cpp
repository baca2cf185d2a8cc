// The chooser against unlimited simulation: on random machines (backbones, narrow inner links,
// clusters of unequal size, odd counts, two placements) the chosen plan of a random call is
// simulated beside all candidates. Figures of docs/prediction.md: how often the choice is within
// 3 % of the best, and the worst case. Also counts predictions below the proven bound.
//
//     choice_check [--machines N] [--seed FIRST] [--table | --names]
//
// --names only prints the choices and the candidates with their predictions: compared between two
// builds, it shows whether a change of the code changes a choice.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/units.hpp"
#include "bound/lower_bound.hpp"
#include "choice_check/random_case.hpp"
#include "select/chooser.hpp"
#include "select/ranking.hpp"
#include "sim/simulate.hpp"

namespace espalier::choice_check {
namespace {

using schedule::Collective;

struct Loss {
  double ratio = 1;
  std::string what;
};

struct Figures {
  std::vector<double> ratios;
  std::vector<Loss> losses;
  std::vector<Loss> below_bound;
  std::uint64_t predictions = 0;
};

void compare(std::uint64_t seed, Figures& figures) {
  const RandomCase random = random_case(seed);
  const topology::Machine& machine = random.machine;
  const Collective& call = random.call;
  const std::string& text = random.text;
  const collective::Hierarchy hierarchy(machine);
  select::Chooser chooser(hierarchy, select::rules_for(select::NativeMpi::Unknown));
  const auto choice = chooser.choose(call, select::WhichPlan::Best);
  const auto simulated = [&](const select::Plan& plan) {
    const select::Candidate candidate = candidate_of(plan, hierarchy, call);
    return sim::simulate(call, candidate.program_of, machine).finish;
  };
  const Time chosen = simulated(*choice.plan);
  const Time bound = bound::lower_bound(machine, call).value;
  const std::string where =
      fmt::format("seed {}: {} -s {}B -r {} -m \"{}\"", seed, name_of(call.operation),
                  call.count * call.element.value, call.root, text);
  Time best = chosen;
  std::string best_name = choice.name;
  Time best_predicted = chooser.predictor()(*choice.plan, call);
  for (const select::Choice& other :
       select::ranking(hierarchy, chooser.predictor().cost_view(), call)) {
    ++figures.predictions;
    // One picosecond a step: predictions are rounded.
    if (other.predicted.picoseconds + 1000 < bound.picoseconds) {
      figures.below_bound.push_back(
          {to_seconds(bound) / std::max(1e-12, to_seconds(other.predicted)),
           fmt::format("{}: {} predicted {}, bound {}, simulated {}", where,
                       name_of(other.plan, call), rounded(other.predicted), rounded(bound),
                       rounded(simulated(other.plan)))});
    }
    const Time takes = simulated(other.plan);
    if (takes >= best) continue;
    best = takes;
    best_name = name_of(other.plan, call);
    best_predicted = other.predicted;
  }
  const double ratio = best > Time{0} ? to_seconds(chosen) / to_seconds(best) : 1;
  figures.ratios.push_back(ratio);
  if (ratio > 1.03) {
    figures.losses.push_back(
        {ratio,
         fmt::format("{}: chose {} ({}, predicted {}), best {} ({}, predicted {})", where,
                     choice.name, rounded(chosen), rounded(chooser.predictor()(*choice.plan, call)),
                     best_name, rounded(best), rounded(best_predicted))});
  }
}

void print_worst(std::vector<Loss>& losses, std::size_t most) {
  std::sort(losses.begin(), losses.end(),
            [](const Loss& a, const Loss& b) { return a.ratio > b.ratio; });
  for (std::size_t i = 0; i < std::min(most, losses.size()); ++i) {
    fmt::print("{:8.3f} {}\n", losses[i].ratio, losses[i].what);
  }
}

void print_names(std::uint64_t seed) {
  const RandomCase random = random_case(seed);
  const collective::Hierarchy hierarchy(random.machine);
  select::Chooser chooser(hierarchy, select::rules_for(select::NativeMpi::Unknown));
  const auto choice = chooser.choose(random.call, select::WhichPlan::Best);
  fmt::print("{} {}: {}\n", seed, name_of(random.call.operation), choice.name);
  for (const select::Choice& other :
       select::ranking(hierarchy, chooser.predictor().cost_view(), random.call)) {
    fmt::print("  {} {}\n", other.predicted.picoseconds, name_of(other.plan, random.call));
  }
}

int run(std::uint64_t first, int machines, bool table) {
  Figures figures;
  for (int i = 0; i < machines; ++i) compare(first + static_cast<std::uint64_t>(i), figures);
  const double worst = *std::max_element(figures.ratios.begin(), figures.ratios.end());
  const double within =
      100.0 * static_cast<double>(figures.ratios.size() - figures.losses.size()) / machines;
  fmt::print(
      "seeds {} to {}: within 3 % of the best in {:.2f} %, worst {:.3f}; {} of {} predictions "
      "below the bound\n",
      first, first + static_cast<std::uint64_t>(machines) - 1, within, worst,
      figures.below_bound.size(), figures.predictions);
  if (table) {
    print_worst(figures.losses, 60);
    fmt::print("below the bound:\n");
    print_worst(figures.below_bound, 40);
  }
  return within >= 99 && worst < 1.10 && figures.below_bound.empty() ? 0 : 1;
}

}  // namespace
}  // namespace espalier::choice_check

int main(int argc, char** argv) {
  std::uint64_t first = 1;
  int machines = 200;
  bool table = false, names = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--table") == 0) table = true;
    if (std::strcmp(argv[i], "--names") == 0) names = true;
    if (i + 1 >= argc) continue;
    if (std::strcmp(argv[i], "--machines") == 0) machines = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) first = std::strtoull(argv[i + 1], nullptr, 10);
  }
  for (int i = 0; names && i < machines; ++i) {
    espalier::choice_check::print_names(first + static_cast<std::uint64_t>(i));
  }
  if (names) return 0;
  return espalier::choice_check::run(first, machines, table);
}
