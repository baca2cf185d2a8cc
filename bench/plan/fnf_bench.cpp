// Planning time of fastest node first: costs all different, one core.
#include <benchmark/benchmark.h>

#include "base/random.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

void fnf(benchmark::State& state) {
  const auto nodes = static_cast<Rank>(state.range(0));
  Random rng(1);
  std::vector<Time> costs(nodes);
  for (Time& cost : costs) cost = Time{rng.between(100'000'000, 800'000'000)};
  const Participants who = everybody(nodes, 0);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(fastest_node_first(costs, who));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(fnf)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);

}  // namespace
}  // namespace espalier::tree
