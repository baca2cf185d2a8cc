// What the machine of a communicator costs, in time and in heap that is held (MB) or held for a
// moment (peak_MB), on machines of 1,024 to 1,048,576 ranks:
//
//   read_world   rank 0's text read: what each process pays once
//   copied_whole the world's machine restricted to all of its ranks: what a communicator of all
//                processes cost before they shared the world's machine, and costs no longer
//   half         a communicator of every second process
//   flow_control what a channel keeps for each rank, if this rank sends to 64 others: pages of 64
//   flat_plan    this rank's part of an alltoall in which everybody sends to everybody
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <numeric>
#include <string>

#include "mpi/by_rank.hpp"
#include "runtime/plan_cache.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"
#include "topology/writers.hpp"

namespace {

std::size_t g_held_bytes = 0;
std::size_t g_most_bytes = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  void* made = std::malloc(bytes);
  if (made == nullptr) throw std::bad_alloc();
  g_held_bytes += malloc_usable_size(made);
  if (g_held_bytes > g_most_bytes) g_most_bytes = g_held_bytes;
  return made;
}
void operator delete(void* made) noexcept {
  if (made != nullptr) g_held_bytes -= malloc_usable_size(made);
  std::free(made);
}
void operator delete(void* made, std::size_t) noexcept { operator delete(made); }

namespace espalier {
namespace {

using topology::Machine;

Machine machine_of(std::int64_t ranks) {
  return *topology::parse_synthetic("site:4(10ms,10Gbit/s) node:" + std::to_string(ranks / 128) +
                                    "(20us,25Gbit/s) proc:32(1us,send=400ns,recv=400ns)");
}

/// Measures make(): its time, what its result holds, and what it held at most.
template <typename Make>
void measure(benchmark::State& state, const Make& make) {
  double held = 0, peak = 0;
  for (auto _ : state) {
    const std::size_t before = g_most_bytes = g_held_bytes;
    const auto made = make();
    benchmark::DoNotOptimize(made);
    held = static_cast<double>(g_held_bytes - before) / 1e6;
    peak = static_cast<double>(g_most_bytes - before) / 1e6;
  }
  state.counters["MB"] = held;
  state.counters["peak_MB"] = peak;
}

void read_world(benchmark::State& state) {
  const std::string text = topology::write_json(machine_of(state.range(0)));
  measure(state, [&] { return *topology::read_json(text, "bench"); });
}

void copied_whole(benchmark::State& state) {
  const Machine machine = machine_of(state.range(0));
  std::vector<Rank> all(machine.size());
  std::iota(all.begin(), all.end(), Rank{0});
  measure(state, [&] { return topology::restrict_machine(machine, all); });
}

void half(benchmark::State& state) {
  const Machine machine = machine_of(state.range(0));
  std::vector<Rank> some;
  for (Rank rank = 0; rank < machine.size(); rank += 2) some.push_back(rank);
  measure(state, [&] { return topology::restrict_machine(machine, some); });
}

struct Flow {
  std::uint64_t since = 0;
  std::vector<std::uint64_t> under_way;
};

void flow_control(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  measure(state, [&] {
    mpi::ByRank<Flow> flows(ranks);
    for (Rank i = 0; i < 64; ++i) ++flows[static_cast<Rank>(i * (ranks / 64))].since;
    return flows;
  });
}

void flat_plan(benchmark::State& state) {
  const Machine machine = machine_of(state.range(0));
  const collective::Hierarchy hierarchy(machine);
  select::Chooser chooser(hierarchy,
                          {.force = true, .named = {{schedule::Operation::Alltoall, "direct"}}});
  const runtime::PlanKey key{{schedule::Operation::Alltoall, 0, 8, 1, true}};
  double bytes = 0;
  measure(state, [&] {
    runtime::CachedPlan plan = make_plan(chooser, 5, key);
    bytes = static_cast<double>(bytes_of(plan)) / 1e6;
    return plan;
  });
  state.counters["counted_MB"] = bytes;
}

BENCHMARK(read_world)
    ->Arg(1024)
    ->Arg(16384)
    ->Arg(131072)
    ->Arg(1048576)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(copied_whole)
    ->Arg(1024)
    ->Arg(16384)
    ->Arg(131072)
    ->Arg(1048576)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(half)->Arg(1024)->Arg(16384)->Arg(131072)->Arg(1048576)->Unit(benchmark::kMillisecond);
BENCHMARK(flow_control)
    ->Arg(1024)
    ->Arg(16384)
    ->Arg(131072)
    ->Arg(1048576)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(flat_plan)->Arg(1024)->Arg(16384)->Arg(131072)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace espalier
