// Planning time of the trees for scatterv and gatherv, 64 ranks a node, lengths by a power law, one
// core. The aim: 4,096 ranks in 50 ms each.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/random.hpp"
#include "model/machine_models.hpp"
#include "select/quick_irregular.hpp"
#include "topology/readers.hpp"
#include "tree/irregular_algorithm.hpp"

namespace espalier::tree {
namespace {

void irregular(benchmark::State& state, const IrregularAlgorithm* algorithm) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const auto machine = *topology::parse_synthetic(fmt::format(
      "site:2(10ms,1Gbit/s) node:{}(50us,1Gbit/s,send=1us,recv=1us) proc:64(1us)", ranks / 128));
  const model::Levels model(machine);
  Random rng(1);
  std::vector<Bytes> bytes(ranks);
  for (Bytes& b : bytes) b.value = 1'000'000 / (1 + rng.below(100'000));
  const std::vector<Rank> kinds = model::kinds_of(machine);
  const Participants who = with_blocks(bytes, 0);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(algorithm->build({who, bytes, model, kinds}, machine));
  }
  state.SetComplexityN(state.range(0));
}

/// What a root of a planned MPI_Scatterv waits for when its counts are new.
void quick(benchmark::State& state) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const auto machine = *topology::parse_synthetic(fmt::format(
      "site:2(10ms,1Gbit/s) node:{}(50us,1Gbit/s,send=1us,recv=1us) proc:16(1us)", ranks / 32));
  Random rng(1);
  schedule::Collective call{schedule::Operation::Scatter, ranks, 0, 0, Bytes{1}, true, {}};
  for (Rank r = 0; r < ranks; ++r) call.counts.push_back(1'000'000 / (1 + rng.below(100'000)));
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(select::quick_choice(machine, call));
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(quick)->RangeMultiplier(4)->Range(64, 16384)->Unit(benchmark::kMillisecond)->Complexity();

[[maybe_unused]] const bool registered = [] {
  for (const IrregularAlgorithm& a : irregular_algorithms()) {
    if (a.quick_up_to < 4096) continue;
    benchmark::RegisterBenchmark(std::string(a.name).c_str(), irregular, &a)
        ->RangeMultiplier(4)
        ->Range(256, 65536)
        ->Unit(benchmark::kMillisecond)
        ->Complexity();
  }
  return true;
}();

}  // namespace
}  // namespace espalier::tree
