// What it costs a rank to build its own part of a plan, and to choose one, on a machine of four
// levels. The rank is the one with most to do: the master of everything.
#include <benchmark/benchmark.h>

#include "select/chooser.hpp"
#include "topology/readers.hpp"

namespace espalier {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::Shape;
using schedule::Collective;
using schedule::Operation;
using topology::Machine;

Machine four_levels(std::int64_t processes) {
  if (processes == 1024) {
    return *topology::parse_synthetic(
        "site:4(10ms,1Gbit/s) machine:8(500us,10Gbit/s) node:4(20us,25Gbit/s) "
        "proc:8(1us,80Gbit/s,send=400ns,recv=400ns)");
  }
  return *topology::parse_synthetic(
      "site:8(10ms,10Gbit/s) machine:16(500us,100Gbit/s) node:32(20us,25Gbit/s) "
      "proc:32(1us,80Gbit/s,send=400ns,recv=400ns)");
}

void own_part(benchmark::State& state, Operation operation) {
  const Machine machine = four_levels(state.range(0));
  const Hierarchy hierarchy(machine);
  const select::Plan plan{
      collective::find_algorithm(operation, "multilevel"),
      collective::MultilevelChoice{
          std::vector<LevelChoice>(
              4, {Shape::Binomial, operation == Operation::Broadcast ? 8192U : 0U}),
          operation == Operation::Allreduce ? collective::Top::Exchange : collective::Top::Tree,
          {}}};
  const Collective call{operation, machine.size(), 0, 65536, Bytes{1}, true, {}};
  for (auto _ : state) {
    const schedule::Program mine = select::own_part(plan, hierarchy, call, 0);
    benchmark::DoNotOptimize(mine.ops.data());
  }
}

void choose(benchmark::State& state, Operation operation) {
  const Machine machine = four_levels(state.range(0));
  const Hierarchy hierarchy(machine);
  const Collective call{operation, machine.size(), 0, 65536, Bytes{1}, true, {}};
  for (auto _ : state) {
    select::Chooser chooser(hierarchy);
    benchmark::DoNotOptimize(chooser.choose(call));
  }
}

void again(benchmark::State& state) {
  const Machine machine = four_levels(state.range(0));
  const Hierarchy hierarchy(machine);
  select::Chooser chooser(hierarchy);
  const Collective call{Operation::Allreduce, machine.size(), 0, 65536, Bytes{1}, true, {}};
  benchmark::DoNotOptimize(chooser.choose(call));
  for (auto _ : state) benchmark::DoNotOptimize(chooser.choose(call));
}

#define OWN_PART(NAME, OPERATION)                         \
  BENCHMARK_CAPTURE(own_part, NAME, Operation::OPERATION) \
      ->Arg(1024)                                         \
      ->Arg(131072)                                       \
      ->Unit(benchmark::kMillisecond)
OWN_PART(broadcast, Broadcast);
OWN_PART(reduce, Reduce);
OWN_PART(allreduce, Allreduce);
OWN_PART(barrier, Barrier);
OWN_PART(gather, Gather);
OWN_PART(scatter, Scatter);
OWN_PART(allgather, Allgather);
OWN_PART(alltoall, Alltoall);
OWN_PART(reduce_scatter, ReduceScatter);
OWN_PART(scan, Scan);

BENCHMARK_CAPTURE(choose, broadcast, Operation::Broadcast)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(choose, allreduce, Operation::Allreduce)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(again)->Arg(1024)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace espalier
