#include "simgrid_check/cases.hpp"

#include <array>
#include <functional>
#include <utility>

#include "support/plans.hpp"
#include "topology/readers.hpp"

namespace espalier::simgrid_check {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> kMachines{{
    // As in karonis2000, with 8 processes on each of three machines, two of them at one site.
    {"three-machines",
     "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) "
     "proc:8(5us,cap=10Gbit/s,send=1us,recv=1us)"},
    // Fast and slow nodes, some with half-duplex links.
    {"unequal-nodes",
     "site:2(8ms,200Mbit/s) "
     "node:5|7(80us,1Gbit/s,send=5us*5|40us*7,recv=5us*5|20us*7,reduce=2GB/s) "
     "proc:2(2us,20Gbit/s,duplex=half)"},
    // One process on each of 39 nodes of five clusters at two sites whose link is no bottleneck.
    {"39-nodes",
     "site:2(1100us,10Gbit/s) cluster:3|2(60us,10Gbit/s) "
     "node:8*2|7|8*2(40us,1Gbit/s,send=2us,recv=2us)"},
    // All that moves crosses one switch.
    {"one-backbone", "node:24(50us,1Gbit/s,send=2us,recv=2us,backbone=4Gbit/s)"},
    // Sites that are far apart: a flow alone does not fill the line.
    {"capped-flows",
     "site:3(20ms,500Mbit/s,cap=50Mbit/s) node:4(100us,1Gbit/s) proc:2(2us,send=3us,recv=3us)"},
}};

struct Plan {
  const char* name;
  std::function<schedule::Schedule(Rank, std::uint64_t)> make;
};

std::vector<Plan> all_plans() {
  return {
      {"chain", [](Rank p, std::uint64_t n) { return plans::chain_broadcast(p, n, 16384); }},
      {"binomial", [](Rank p, std::uint64_t n) { return plans::binomial_broadcast(p, n, n); }},
      {"gather", [](Rank p, std::uint64_t n) { return plans::flat_gather(p, n); }},
      {"ring", [](Rank p, std::uint64_t n) { return plans::ring_allgather(p, n); }},
      {"pairwise", [](Rank p, std::uint64_t n) { return plans::pairwise_alltoall(p, n); }},
      {"doubling", [](Rank p, std::uint64_t n) { return plans::doubling_allreduce(p, n); }},
  };
}

constexpr std::array<std::pair<const char*, std::uint64_t>, 4> kSizes{
    {{"1 KiB", 1024}, {"16 KiB", 16 * 1024}, {"128 KiB", 128 * 1024}, {"1 MiB", 1024 * 1024}}};

}  // namespace

std::vector<NamedMachine> machines() {
  std::vector<NamedMachine> all;
  for (const auto& [name, text] : kMachines) {
    all.push_back({name, *topology::parse_synthetic(text)});
  }
  return all;
}

std::vector<Case> cases(const std::vector<NamedMachine>& machines) {
  std::vector<Case> all;
  for (const NamedMachine& m : machines) {
    for (const Plan& plan : all_plans()) {
      for (const auto& [label, bytes] : kSizes) {
        Case c{m.name, label, &m.machine, plan.make(m.machine.size(), bytes)};
        c.plan.algorithm = plan.name;
        all.push_back(std::move(c));
      }
    }
  }
  return all;
}

}  // namespace espalier::simgrid_check
