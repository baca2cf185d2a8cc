// irregular_cases SEED DIRECTORY: a random scatterv or gatherv on one of five kinds of machines,
// and every plan for it, the chosen one first, for replay.cpp: DIRECTORY/platform.xml, hosts,
// plans. irregular_cases cell:N DIRECTORY: cells where sending straight loses.
// irregular_cases dichev:N DIRECTORY: the N-th case of `espalier reproduce dichev`, its
// trees with blocking calls first. Prints what the case is; exits 3 beyond the last one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/units.hpp"
#include "reproduce/dichev_runs.hpp"
#include "select/block_counts.hpp"
#include "select/irregular.hpp"
#include "sim/simulate.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier {
namespace {

using schedule::Collective;
using schedule::Operation;
using topology::Machine;

struct Case {
  std::string what;
  Machine machine;
  Collective call;
  std::vector<select::IrregularPlan> first;  ///< before those of the ranking
};

constexpr const char* kMachines[] = {
    "proc:14(50us,1Gbit/s,send=5us,recv=5us,speed=1*7|2*7)",
    "site:2(10ms,1Gbit/s) cluster:3|2(100us,1Gbit/s) "
    "proc:8|7|8|8|8(50us,1Gbit/s,send=10us,recv=10us,speed=1*8|1.6*7|1.2*8|2*8|1.4*8)",
    "proc:64(50us,1Gbit/s,send=100us,recv=1us,speed=1*32|3*32)",
    "site:2(10ms,1Gbit/s,cap=52Mbit/s) proc:16(50us,1Gbit/s,send=1us,recv=1us,speed=1*20|2*12)",
    "site:3(30ms,100Mbit/s) node:4(100us,1Gbit/s) "
    "proc:2(1us,10Gbit/s,send=2us,recv=2us,speed=1*12|2*12)"};

Case random_case(std::uint64_t seed) {
  Random rng(seed);
  const auto kind = rng.below(std::size(kMachines));
  Machine machine = *topology::parse_synthetic(kMachines[kind]);
  const auto placement = rng.below(3);
  if (placement == 1) machine = with_placement(machine, cyclic_placement(machine));
  if (placement == 2) machine = with_placement(machine, random_placement(machine, seed));
  const auto& names = select::count_distributions();
  const std::string& name = names[rng.below(names.size())];
  const bool draws = name != "equal" && name != "cpu-speed";
  const std::string distribution = draws ? fmt::format("{}:{}", name, seed) : name;
  constexpr std::uint64_t kMeans[] = {100, 5'000, 100'000, 1'000'000};
  const Bytes mean{kMeans[rng.below(4)]};
  Collective call{rng.chance(50) ? Operation::Scatter : Operation::Gather,
                  machine.size(),
                  static_cast<Rank>(rng.below(machine.size())),
                  0,
                  Bytes{1},
                  true,
                  *select::counts_from(distribution, machine, mean)};
  constexpr const char* kPlacements[] = {"block", "cyclic", "random"};
  const std::string what =
      fmt::format("machine {}, {}, {} of {}, {}v from {}", kind, kPlacements[placement],
                  distribution, to_string(mean), name_of(call.operation), call.root);
  return {what, std::move(machine), std::move(call), {}};
}

struct Cell {
  const char* what;
  const char* machine;
  Operation operation;
  const char* counts;
  Bytes mean;
};
constexpr Cell kCells[] = {
    {"256 nodes, 100 us a message", "proc:256(50us,1Gbit/s,send=100us,recv=1us)",
     Operation::Scatter, "equal", Bytes{100}},
    {"256 nodes, 100 us a message", "proc:256(50us,1Gbit/s,send=1us,recv=100us)", Operation::Gather,
     "equal", Bytes{100}},
    {"a slow root among 64", "proc:64(50us,1Gbit/s,send=1ms|5us*63,recv=5us)", Operation::Scatter,
     "powerlaw", Bytes{1000}},
    {"a slow root among 64", "proc:64(50us,1Gbit/s,send=5us,recv=1ms|5us*63)", Operation::Gather,
     "powerlaw", Bytes{1000}},
    {"capped flows", "site:2(10ms,1Gbit/s,cap=52Mbit/s) proc:16(50us,1Gbit/s,send=1us,recv=1us)",
     Operation::Gather, "powerlaw:50", Bytes{1'000'000}},
    {"capped flows, 100 us a message",
     "site:2(10ms,10Gbit/s,cap=52Mbit/s) proc:32(50us,1Gbit/s,send=100us,recv=100us)",
     Operation::Scatter, "powerlaw", Bytes{2'000}},
};

bool cell_case(std::size_t number, std::vector<Case>& found) {
  if (number >= std::size(kCells)) return false;
  const Cell& cell = kCells[number];
  Machine machine = *topology::parse_synthetic(cell.machine);
  Collective call{cell.operation,
                  machine.size(),
                  0,
                  0,
                  Bytes{1},
                  true,
                  *select::counts_from(cell.counts, machine, cell.mean)};
  const std::string what = fmt::format("{}, {} of {}, {}v", cell.what, cell.counts,
                                       to_string(cell.mean), name_of(call.operation));
  found.push_back({what, std::move(machine), std::move(call), {}});
  return true;
}

bool dichev_case(std::size_t number, std::vector<Case>& found) {
  std::vector<reproduce::DichevCase> all = reproduce::dichev_switch(1);
  for (reproduce::DichevCase& one : reproduce::dichev_grid(1)) all.push_back(std::move(one));
  if (number >= all.size()) return false;
  reproduce::DichevCase& one = all[number];
  Case result{fmt::format("{}, {}, {} of {}, {}v", one.network, one.placement, one.distribution,
                          to_string(one.mean), name_of(one.call.operation)),
              one.machine,
              one.call,
              {}};
  for (const char* tree : reproduce::kDichevTrees) {
    select::IrregularPlan plan = select::irregular_plan(tree, one.machine, one.call);
    plan.sending = collective::Sending::OneByOne;
    result.first.push_back(std::move(plan));
  }
  found.push_back(std::move(result));
  return true;
}

/// The receives that a send waits for, through copies, by their place among the rank's messages.
void collect(const schedule::Program& program, std::uint32_t op,
             const std::vector<std::size_t>& place_of, std::vector<std::size_t>& needs) {
  for (const std::uint32_t before : program.deps_of(program.ops[op])) {
    if (program.ops[before].kind == schedule::OpKind::Recv) {
      needs.push_back(place_of[before]);
    } else if (program.ops[before].kind != schedule::OpKind::Send) {
      collect(program, before, place_of, needs);
    }
  }
}

void write_plan(std::ofstream& out, const select::IrregularPlan& plan, const Case& one) {
  sim::SimOptions options = select::smpi_conditions(one.machine);
  options.trace = true;
  const schedule::Schedule schedule = schedule_of(plan, one.call);
  const sim::SimResult result = sim::simulate(schedule, one.machine, options);
  out << fmt::format("plan {} {} {}\n", plan.sending == collective::Sending::OneByOne ? 1 : 0,
                     result.finish.picoseconds, name_of(plan));
  std::vector<std::vector<std::uint64_t>> bytes(one.call.size);
  for (Rank r = 0; r < one.call.size; ++r) bytes[r].resize(schedule.programs[r].ops.size());
  for (const sim::MessageTrace& m : result.timeline) {
    bytes[m.from][m.send_op] = m.bytes.value;
    bytes[m.to][m.recv_op] = m.bytes.value;
  }
  for (const schedule::Program& program : schedule.programs) {
    std::vector<std::size_t> place_of(program.ops.size(), 0);
    std::size_t messages = 0;
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
      const auto kind = program.ops[op].kind;
      if (kind == schedule::OpKind::Send || kind == schedule::OpKind::Recv) {
        place_of[op] = messages++;
      }
    }
    out << fmt::format("rank {}\n", messages);
    for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
      const schedule::Op& here = program.ops[op];
      const bool sends = here.kind == schedule::OpKind::Send;
      if (!sends && here.kind != schedule::OpKind::Recv) continue;
      std::vector<std::size_t> needs;
      if (sends) collect(program, op, place_of, needs);
      out << fmt::format("{} {} {} {} {}\n", sends ? 's' : 'r', here.peer, bytes[program.rank][op],
                         here.tag, fmt::join(needs, " "));
    }
  }
}

int write_case(const Case& one, const std::string& directory) {
  fmt::print("{}\n", one.what);
  std::ofstream(directory + "/platform.xml") << topology::write_simgrid(one.machine);
  std::ofstream hosts(directory + "/hosts");
  for (const std::string& host : topology::simgrid_hosts(one.machine)) hosts << host << '\n';
  std::ofstream out(directory + "/plans");
  for (const select::IrregularPlan& plan : one.first) write_plan(out, plan, one);
  select::IrregularConditions conditions;
  conditions.trials = 150;
  conditions.sim = select::smpi_conditions(one.machine);
  for (const auto& choice : select::irregular_ranking(one.machine, one.call, conditions)) {
    write_plan(out, choice.plan, one);
  }
  return out ? 0 : 1;
}

int run(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string which = argv[1];
  const std::size_t colon = which.find(':');
  std::uint64_t number = 0;
  const char* begin = which.data() + (colon == std::string::npos ? 0 : colon + 1);
  std::from_chars(begin, which.data() + which.size(), number);
  if (colon == std::string::npos) return write_case(random_case(number), argv[2]);
  std::vector<Case> found;
  const bool is_there =
      which.starts_with("cell:") ? cell_case(number, found) : dichev_case(number, found);
  if (!is_there) return 3;
  return write_case(found.front(), argv[2]);
}

}  // namespace
}  // namespace espalier

int main(int argc, char** argv) { return espalier::run(argc, argv); }
