// The exact optimum of 32 nodes, one core: 100 seeded cases of each family, each given one second.
//
//   classes    costs from {100, 200, ..., 800} us
//   arbitrary  whole picoseconds between 100 and 800 us
//
// Counters: solved_under_1s (proven optimal), gap_below_2pct (proven to be that close), and the
// distribution of the times in milliseconds. Times are of the CPU: the clock on the wall also
// counts whoever else is at work.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "base/random.hpp"
#include "tree/exact_optimum.hpp"

namespace espalier::tree {
namespace {

constexpr Rank kNodes = 32;
constexpr int kCases = 100;

Time from_classes(Random& rng) { return microseconds(100 * rng.between(1, 8)); }
Time arbitrary(Random& rng) { return Time{rng.between(100'000'000, 800'000'000)}; }

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void exact(benchmark::State& state, Time (*draw)(Random&), ExactLimits limits) {
  std::vector<double> milliseconds;
  int solved = 0;
  int close = 0;
  double worst_gap = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (int seed = 1; seed <= kCases; ++seed) {
      Random rng(static_cast<std::uint64_t>(seed));
      std::vector<Time> costs(kNodes);
      for (Time& cost : costs) cost = draw(rng);
      const Participants who = everybody(kNodes, static_cast<Rank>(rng.below(kNodes)));
      const double began = cpu_seconds();
      const ExactResult best = exact_optimum(costs, who, limits);
      const double took = cpu_seconds() - began;
      milliseconds.push_back(1e3 * took);
      solved += best.proven() && took < 1 ? 1 : 0;
      close += best.gap() <= 0.02 && took < 1 ? 1 : 0;
      worst_gap = std::max(worst_gap, best.gap());
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto quantile = [&](std::size_t percent) {
    return milliseconds[(milliseconds.size() - 1) * percent / 100];
  };
  state.counters["solved_under_1s"] = solved;
  state.counters["gap_below_2pct"] = close;
  state.counters["worst_gap_pct"] = 100 * worst_gap;
  state.counters["ms_p50"] = quantile(50);
  state.counters["ms_p90"] = quantile(90);
  state.counters["ms_p95"] = quantile(95);
  state.counters["ms_max"] = milliseconds.back();
}

// The limit of planning: steps, the same everywhere.
BENCHMARK_CAPTURE(exact, classes, from_classes, ExactLimits{})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exact, arbitrary, arbitrary, ExactLimits{})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
// More steps: what is left to gain.
BENCHMARK_CAPTURE(exact, arbitrary_6m_steps, arbitrary,
                  ExactLimits{.search_steps = 6'000'000, .wall_clock = {}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace espalier::tree
