// What a cold choice costs: processor time, and the most heap that it holds at once beside machine
// and hierarchy. 64 to 131,072 ranks of up to four levels, all operations, messages of 1 KiB.
//
//   equal    all parts of a level are alike
//   unequal  every twentieth innermost cluster has a process less and a slower channel
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <string>

#include "select/chooser.hpp"
#include "topology/machine_spec.hpp"
#include "topology/readers.hpp"

namespace {

std::size_t g_held = 0;  // bytes on the heap now
std::size_t g_most = 0;  // the most since measuring began

void note(std::size_t bytes) {
  const std::size_t held = g_held += bytes;
  if (held > g_most) g_most = held;
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* made = std::malloc(bytes);
  if (made == nullptr) throw std::bad_alloc();
  note(malloc_usable_size(made));
  return made;
}
void operator delete(void* made) noexcept {
  if (made != nullptr) g_held -= malloc_usable_size(made);
  std::free(made);
}
void operator delete(void* made, std::size_t) noexcept { operator delete(made); }

namespace espalier {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;
using topology::Machine;

std::string description(std::int64_t processes) {
  const std::string inner = "(20us,25Gbit/s) proc:32(1us,80Gbit/s,send=400ns,recv=400ns)";
  switch (processes) {
    case 64:
      return "site:2(10ms,1Gbit/s) node:4(20us,25Gbit/s) "
             "proc:8(1us,80Gbit/s,send=400ns,recv=400ns)";
    case 1024:
      return "site:2(10ms,1Gbit/s) node:16" + inner;
    case 16384:
      return "site:4(10ms,10Gbit/s) machine:8(500us,100Gbit/s) node:16" + inner;
    default:
      return "site:8(10ms,10Gbit/s) machine:16(500us,100Gbit/s) node:32" + inner;
  }
}

/// The machine with a process less, and a channel of twice the latency, in every twentieth of its
/// innermost clusters.
topology::MemberSpec spelled_out(const Machine& machine, topology::ClusterId id, int& innermost) {
  topology::MemberSpec spec;
  const topology::Cluster& cluster = machine.clusters()[id];
  std::uint64_t processes = 0;
  for (const topology::Member& member : machine.members(cluster)) {
    if (member.is_leaf) {
      ++processes;
    } else {
      spec.members.push_back(spelled_out(machine, member.id, innermost));
    }
  }
  if (processes == 0) return spec;
  topology::MemberSpec process;
  process.count = processes;
  if (innermost++ % 20 == 7) {
    --process.count;
    spec.channel.latency = Time{2 * cluster.channel.latency.picoseconds};
  }
  const topology::NodeCosts& costs = machine.costs(machine.rank_at(cluster.first_leaf));
  process.costs = {costs.send, costs.recv, {}, {}};
  spec.members.push_back(process);
  return spec;
}

Machine machine_of(std::int64_t processes, bool is_equal) {
  const Machine equal = *topology::parse_synthetic(description(processes));
  if (is_equal) return equal;
  topology::MachineSpec spec;
  for (std::size_t depth = 0; depth < equal.levels().size(); ++depth) {
    for (const topology::Cluster& cluster : equal.clusters()) {
      if (cluster.depth != depth) continue;
      const topology::Member& first = equal.members(cluster).front();
      spec.levels.push_back(
          {equal.levels()[depth], cluster.channel,
           first.is_leaf ? equal.leaf_uplink(first.id) : equal.clusters()[first.id].uplink});
      break;
    }
  }
  int innermost = 0;
  spec.whole = spelled_out(equal, 0, innermost);
  return *topology::build_machine(spec);
}

void choose(benchmark::State& state, Operation operation, bool is_equal) {
  const Machine machine = machine_of(state.range(0), is_equal);
  const Hierarchy hierarchy(machine);
  const Collective call{operation, machine.size(), 0, 1024, Bytes{1}, true, {}};
  std::size_t most = 0;
  for (auto _ : state) {
    const std::size_t before = g_held;
    g_most = before;
    select::Chooser chooser(hierarchy);
    benchmark::DoNotOptimize(chooser.choose(call));
    most = std::max(most, g_most - before);
  }
  state.counters["heap_KiB"] = static_cast<double>(most) / 1024;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const bool is_equal : {true, false}) {
    for (int i = 0; i < schedule::kOperationCount; ++i) {
      const auto operation = static_cast<Operation>(i);
      const std::string name = "choosing/" + std::string(schedule::name_of(operation)) +
                               (is_equal ? "/equal" : "/unequal");
      auto* one = benchmark::RegisterBenchmark(
          name.c_str(), [=](benchmark::State& state) { choose(state, operation, is_equal); });
      one->Unit(benchmark::kMillisecond)->Iterations(1);
      for (const std::int64_t ranks : {64, 1024, 16384, 131072}) one->Arg(ranks);
    }
  }
  return true;
}();

}  // namespace
}  // namespace espalier
