// What a cold choice, and a rank's own part of a plan, cost: processor time, and the most heap that
// is held at once beside machine and hierarchy. 64 to 1,048,576 ranks of up to four levels, all
// operations, messages of 1 KiB. docs/prediction.md has the table, made by
//
//   choosing_bench --benchmark_filter='^(choosing|chosen)/' --benchmark_format=json |
//     python3 bench/plan/choosing_table.py
//
//   shape      the hierarchy of a machine with its shape, made once for each machine
//   choosing   a cold choice
//   chosen     the part of rank size / 2 in the best plan
//   predicting a multilevel plan predicted, cold: flat trees on all levels
//   own_part   a rank's part of that plan, and of the first plan of each algorithm
//   equal      all parts of a level are alike
//   unequal    every twentieth innermost cluster has a process less and a slower channel
//   cyclic     equal parts, the ranks dealt out to them in turn
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>

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
    case 131072:
      return "site:8(10ms,10Gbit/s) machine:16(500us,100Gbit/s) node:32" + inner;
    default:
      return "site:16(10ms,10Gbit/s) machine:32(500us,100Gbit/s) node:64" + inner;
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

enum class Parts { Equal, Unequal, Cyclic };
constexpr std::pair<Parts, const char*> kAllParts[]{
    {Parts::Equal, "equal"}, {Parts::Unequal, "unequal"}, {Parts::Cyclic, "cyclic"}};

Machine machine_of(std::int64_t processes, Parts parts) {
  const std::string placement = parts == Parts::Cyclic ? " placement=cyclic" : "";
  const Machine equal = *topology::parse_synthetic(description(processes) + placement);
  if (parts != Parts::Unequal) return equal;
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

/// A machine with its hierarchy, made once.
struct Known {
  Known(std::int64_t processes, Parts parts)
      : machine(machine_of(processes, parts)), hierarchy(machine) {}
  Machine machine;
  Hierarchy hierarchy;
};

const Hierarchy& hierarchy_of(std::int64_t processes, Parts parts) {
  static std::map<std::pair<std::int64_t, Parts>, std::unique_ptr<Known>> all;
  auto& known = all[{processes, parts}];
  if (known == nullptr) known = std::make_unique<Known>(processes, parts);
  return known->hierarchy;
}

void choose(const Hierarchy& hierarchy, const Collective& call) {
  select::Chooser chooser(hierarchy);
  benchmark::DoNotOptimize(chooser.choose(call));
}

select::Plan flat_trees(const Hierarchy& hierarchy) {
  const collective::MultilevelChoice choice{
      std::vector<collective::LevelChoice>(hierarchy.machine().levels().size()), {}, {}};
  return {collective::find_algorithm(Operation::Broadcast, "multilevel"), choice};
}

void predict_flat_trees(const Hierarchy& hierarchy, const Collective& call) {
  const select::Predictor predictor(hierarchy);
  benchmark::DoNotOptimize(predictor(flat_trees(hierarchy), call));
}

void build_own_part(const Hierarchy& hierarchy, const Collective& call) {
  benchmark::DoNotOptimize(select::own_part(flat_trees(hierarchy), hierarchy, call, call.size / 2));
}

/// The best plan of a call, looked for once.
const select::Plan& best_plan(const Hierarchy& hierarchy, const Collective& call) {
  static std::map<std::pair<const Hierarchy*, Operation>, select::Plan> all;
  const auto known = all.find({&hierarchy, call.operation});
  if (known != all.end()) return known->second;
  select::Chooser chooser(hierarchy);
  const auto best = chooser.choose(call, select::WhichPlan::Best);
  return all.emplace(std::pair{&hierarchy, call.operation}, *best.plan).first->second;
}

void build_chosen(const Hierarchy& hierarchy, const Collective& call) {
  const select::Plan& plan = best_plan(hierarchy, call);
  benchmark::DoNotOptimize(select::own_part(plan, hierarchy, call, call.size / 2));
}

void make_shape(const Hierarchy& hierarchy, const Collective&) {
  benchmark::DoNotOptimize(Hierarchy(hierarchy.machine()).shape().classes.data());
}

/// Runs `work` on a machine and notes the most heap that it holds.
template <typename Work>
void measure(benchmark::State& state, Operation operation, Parts parts, Work work,
             bool needs_plan) {
  const Hierarchy& hierarchy = hierarchy_of(state.range(0), parts);
  const std::uint64_t bytes = operation == Operation::Barrier ? 0 : 1024;
  const Collective call{operation, hierarchy.machine().size(), 0, bytes, Bytes{1}, true, {}};
  if (needs_plan) (void)best_plan(hierarchy, call);
  std::size_t most = 0;
  for (auto _ : state) {
    const std::size_t before = g_held;
    g_most = before;
    work(hierarchy, call);
    most = std::max(most, g_most - before);
  }
  state.counters["heap_KiB"] = static_cast<double>(most) / 1024;
  state.SetComplexityN(state.range(0));
}

using Measured = std::function<void(const Hierarchy&, const Collective&)>;

void enter(const std::string& what, Operation operation, const Measured& work,
           std::initializer_list<std::int64_t> all_ranks, bool needs_plan = false) {
  for (const auto& [parts, parts_name] : kAllParts) {
    const std::string name =
        what + "/" + std::string(schedule::name_of(operation)) + "/" + parts_name;
    auto* one = benchmark::RegisterBenchmark(name.c_str(), [=, on = parts](auto& state) {
      measure(state, operation, on, work, needs_plan);
    });
    one->Unit(benchmark::kMillisecond)->Iterations(1)->Complexity();
    for (const std::int64_t ranks : all_ranks) one->Arg(ranks);
  }
}

/// The part of rank size / 2 in the first plan that an algorithm proposes; nothing if it has none.
Measured part_of_first(const collective::Algorithm& algorithm) {
  return [&](const Hierarchy& hierarchy, const Collective& call) {
    const auto proposed = collective::proposals(algorithm, hierarchy, call);
    if (proposed.empty()) return;
    const select::Plan plan{&algorithm, proposed.front()};
    benchmark::DoNotOptimize(select::own_part(plan, hierarchy, call, call.size / 2));
  };
}

[[maybe_unused]] const bool kRegistered = [] {
  enter("shape", Operation::Broadcast, make_shape, {64, 1024, 16384, 131072, 1048576});
  for (int i = 0; i < schedule::kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    enter("choosing", operation, choose, {64, 1024, 16384, 131072, 1048576});
    enter("chosen", operation, build_chosen, {64, 1024, 16384, 131072, 1048576}, true);
  }
  for (const Operation operation :
       {Operation::Broadcast, Operation::Reduce, Operation::Allreduce, Operation::Barrier,
        Operation::Gather, Operation::Scatter, Operation::ReduceScatter}) {
    enter("predicting", operation, predict_flat_trees, {64, 1024, 16384, 131072, 1048576});
  }
  for (const Operation operation : {Operation::Broadcast, Operation::Reduce, Operation::Allreduce,
                                    Operation::Barrier, Operation::Gather, Operation::Scatter}) {
    enter("own_part", operation, build_own_part, {64, 1024, 16384, 131072, 1048576});
  }
  for (int i = 0; i < schedule::kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    for (const collective::Algorithm* algorithm : collective::algorithms()) {
      const bool has_form =
          algorithm->operations.contains(operation) && !algorithm->traits.in_reference_order;
      if (!has_form || algorithm->name == "multilevel") continue;
      enter("own_part/" + std::string(algorithm->name), operation, part_of_first(*algorithm),
            {1024, 16384, 131072});
    }
  }
  return true;
}();

}  // namespace
}  // namespace espalier
