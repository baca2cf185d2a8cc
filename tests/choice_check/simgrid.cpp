// The choice judged by SimGrid, an independent engine: on random machines the chosen plan is
// replayed there beside the best candidates by our simulator.
//
//     choice_simgrid [--machines N] [--seed FIRST]
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/units.hpp"
#include "choice_check/random_case.hpp"
#include "select/chooser.hpp"
#include "select/ranking.hpp"
#include "simgrid_check/replay.hpp"

namespace espalier::choice_check {
namespace {

constexpr std::size_t kOthers = 5;

/// Seconds; in a process of its own, since SimGrid's engine lives once. Negative if it failed.
double finish_in_simgrid(const schedule::Schedule& plan, const topology::Machine& machine) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  std::fflush(stdout);  // or the child would print it once more
  const pid_t child = fork();
  if (child == 0) {
    double last = 0;
    for (const double f : simgrid_check::replay(plan, machine, {})) {
      last = f < 0 || last < 0 ? -1 : std::max(last, f);
    }
    const bool written = write(ends[1], &last, sizeof last) == sizeof last;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  double last = -1;
  if (read(ends[0], &last, sizeof last) != sizeof last) last = -1;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return last;
}

/// The chosen plan's time over the best one's, both as SimGrid has them.
double ratio(std::uint64_t seed) {
  const RandomCase random = random_case(seed);
  const collective::Hierarchy hierarchy(random.machine);
  select::Chooser chooser(hierarchy);
  const select::Plan chosen = *chooser.choose(random.call, select::WhichPlan::Best).plan;
  std::vector<select::Choice> others =
      select::ranking(hierarchy, chooser.predictor().cost_view(), random.call);
  for (select::Choice& other : others) {
    other.predicted = simulated_time(other.plan, hierarchy, random.call, {});
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
  const auto in_simgrid = [&](const select::Plan& plan) {
    return finish_in_simgrid(schedule_of(candidate_of(plan, hierarchy, random.call), random.call),
                             random.machine);
  };
  const double mine = in_simgrid(chosen);
  double best = mine;
  std::string name = name_of(chosen, random.call);
  for (std::size_t i = 0; i < std::min(kOthers, others.size()); ++i) {
    const double theirs = in_simgrid(others[i].plan);
    if (theirs < 0 || theirs >= best) continue;
    best = theirs;
    name = name_of(others[i].plan, random.call);
  }
  if (mine > 1.03 * best) {
    fmt::print("{:.3f} seed {}: {} -s {}B -r {} -m \"{}\": chose {}, best {}\n", mine / best, seed,
               name_of(random.call.operation), random.call.count * random.call.element.value,
               random.call.root, random.text, name_of(chosen, random.call), name);
  }
  return mine < 0 ? 9.99 : mine / best;
}

int run(std::uint64_t first, int machines) {
  std::vector<double> ratios;
  for (int i = 0; i < machines; ++i) {
    ratios.push_back(ratio(first + static_cast<std::uint64_t>(i)));
  }
  const auto good =
      std::count_if(ratios.begin(), ratios.end(), [](double one) { return one <= 1.03; });
  const double worst = *std::max_element(ratios.begin(), ratios.end());
  fmt::print("SimGrid, {} cases: within 3 % of the best in {:.1f} %, worst {:.3f}\n", machines,
             100.0 * static_cast<double>(good) / machines, worst);
  return 100 * good >= 97 * machines && worst < 1.25 ? 0 : 1;
}

}  // namespace
}  // namespace espalier::choice_check

int main(int argc, char** argv) {
  std::uint64_t first = 1;
  int machines = 200;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--machines") == 0) machines = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) first = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return espalier::choice_check::run(first, machines);
}
