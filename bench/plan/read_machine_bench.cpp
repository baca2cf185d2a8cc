// Reading a machine of 131,072 processes: as people write it (ranges and counts), and in the worst
// case, every process with a line and figures of its own.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

constexpr const char* kLine = "site:8(30ms,1Gbit/s) node:1024(2us,10Gbit/s) proc:16(100ns)";

void check(benchmark::State& state, const Expected<Machine>& machine) {
  if (!machine || machine->size() != 131'072) state.SkipWithError("not the machine");
}

void synthetic_line(benchmark::State& state) {
  for (auto _ : state) check(state, parse_synthetic(kLine));
}
BENCHMARK(synthetic_line)->Unit(benchmark::kMillisecond);

void json_with_ranges(benchmark::State& state) {
  const std::string text = write_json(*parse_synthetic(kLine));
  for (auto _ : state) check(state, read_json(text, "m.json"));
}
BENCHMARK(json_with_ranges)->Unit(benchmark::kMillisecond);

/// 131,072 processes in 8,192 nodes, each with a name and a cost of its own: about 10 MB.
std::string every_process_spelled_out(unsigned nodes) {
  std::string text = "{\"format\": \"espalier-machine-1\", \"children\": [\n";
  for (unsigned n = 0; n < nodes; ++n) {
    text += fmt::format("{}{{\"name\": \"n{}\", \"children\": [\n", n == 0 ? "" : ",\n", n);
    for (unsigned p = 0; p < 16; ++p) {
      text += fmt::format("{}{{\"name\": \"p{}\", \"send\": \"{} ns\", \"recv\": \"{} ns\"}}",
                          p == 0 ? "" : ",\n", p, 1000 + n * 16 + p, 500 + p);
    }
    text += "]}";
  }
  return text + "]}";
}

void json_spelled_out(benchmark::State& state) {
  const std::string text = every_process_spelled_out(static_cast<unsigned>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(read_json(text, "m.json"));
  state.SetComplexityN(state.range(0) * 16);
  state.counters["MB"] = static_cast<double>(text.size()) / 1e6;
}
BENCHMARK(json_spelled_out)
    ->RangeMultiplier(8)
    ->Range(16, 8192)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace
}  // namespace espalier::topology
