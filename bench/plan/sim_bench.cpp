// How many messages a second the simulator carries, on one core, from the schedule as a value to
// the result: spelling out the schedule and finding the ends of its messages are part of it.
#include <benchmark/benchmark.h>

#include "sim/simulate.hpp"
#include "support/plans.hpp"
#include "topology/readers.hpp"

namespace espalier {
namespace {

using schedule::Schedule;
using topology::Machine;

/// 4 sites x 8 machines x 4 nodes x 8 processes; a process has its own costs.
Machine four_levels() {
  return *topology::parse_synthetic(
      "site:4(10ms,1Gbit/s) machine:8(500us,10Gbit/s) node:4(20us,25Gbit/s) "
      "proc:8(1us,80Gbit/s,send=400ns,recv=400ns)");
}

/// 128 processes alike.
Machine small() {
  return *topology::parse_synthetic(
      "site:2(10ms,1Gbit/s) machine:4(500us,10Gbit/s) node:4(20us,25Gbit/s) "
      "proc:4(1us,80Gbit/s,send=400ns,recv=400ns)");
}

void run(benchmark::State& state, const Machine& machine, const Schedule& plan,
         sim::Sharing sharing) {
  sim::SimOptions options;
  options.sharing = sharing;
  std::uint64_t messages = 0;
  for (auto _ : state) {
    sim::SimResult result = sim::simulate(plan, machine, options);
    messages += result.messages;
    benchmark::DoNotOptimize(result.finish);
  }
  state.counters["messages"] =
      static_cast<double>(messages) / static_cast<double>(state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(messages));
}

void segmented_chain(benchmark::State& state, sim::Sharing sharing) {
  run(state, four_levels(), plans::chain_broadcast(1024, 256 * 8192, 8192), sharing);
}
void segmented_binomial(benchmark::State& state, sim::Sharing sharing) {
  run(state, four_levels(), plans::binomial_broadcast(1024, 256 * 8192, 8192), sharing);
}
void ring(benchmark::State& state, sim::Sharing sharing) {
  run(state, four_levels(), plans::ring_allgather(1024, 8192), sharing);
}
void pairwise(benchmark::State& state, sim::Sharing sharing) {
  run(state, small(), plans::pairwise_alltoall(128, 8192), sharing);
}

constexpr auto kExact = sim::Sharing::ExactMaxMin;
constexpr auto kFast = sim::Sharing::OneBottleneck;
BENCHMARK_CAPTURE(segmented_chain, one_bottleneck, kFast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(segmented_chain, exact, kExact)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(segmented_binomial, one_bottleneck, kFast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(segmented_binomial, exact, kExact)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring, one_bottleneck, kFast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring, exact, kExact)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pairwise, one_bottleneck, kFast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pairwise, exact, kExact)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace espalier
