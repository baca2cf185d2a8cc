// How long placement takes, and how that grows: LU's wavefront on nodes of 16 slots in clusters of
// 8 nodes. 1,024 processes on 64 nodes have to take less than 1 s, 16,384 less than 30 s.
#include <benchmark/benchmark.h>

#include "place/load_inventory.hpp"
#include "place/portfolio.hpp"
#include "profile/workload.hpp"

namespace {

using namespace espalier;

void place_lu(benchmark::State& state) {
  const auto processes = static_cast<Rank>(state.range(0));
  const std::string clusters = std::to_string(std::max<Rank>(1, processes / 128));
  const auto inventory = place::load_inventory("cluster:" + clusters +
                                               "(5ms,1Gbit/s) node:8(50us,1Gbit/s) "
                                               "proc:16(1us,send=1us,recv=1us)");
  const auto profile = profile::make_workload("lu.A", processes);
  const auto problem = make_problem(*inventory, *profile, {});
  double gain = 0;
  for (auto _ : state) {
    const place::Answer answer = place::place_processes(*problem);
    gain = to_seconds(answer.candidates[0].predicted) /
           to_seconds(answer.candidates[answer.chosen].predicted);
  }
  state.counters["gain"] = gain;
  state.SetComplexityN(state.range(0));
}
BENCHMARK(place_lu)
    ->Arg(256)
    ->Arg(1024)
    ->Arg(4096)
    ->Arg(16384)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

}  // namespace
