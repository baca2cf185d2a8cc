#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "topology/machine_spec.hpp"
#include "topology/random_machine.hpp"

namespace espalier {

/// Machines for tests, built by hand.

inline topology::MemberSpec processes(std::uint64_t count, Time send = Time{}) {
  topology::MemberSpec spec;
  spec.count = count;
  if (send != Time{}) spec.costs.send = topology::Cost{send, kUnlimited};
  return spec;
}

inline topology::MemberSpec cluster(std::string name, std::uint64_t count,
                                    std::vector<topology::MemberSpec> members) {
  topology::MemberSpec spec;
  spec.name = std::move(name);
  spec.count = count;
  spec.members = std::move(members);
  return spec;
}

/// Two sites 30 ms apart with one and two machines of four processes, every other one slow.
inline topology::Machine grid() {
  const auto host = [](std::string name) {
    return cluster(std::move(name), 1,
                   {processes(1, microseconds(100)), processes(1, microseconds(300)),
                    processes(1, microseconds(100)), processes(1, microseconds(300))});
  };
  topology::MachineSpec spec;
  spec.where = "grid";
  spec.name = "grid";
  spec.levels = {{{"wan", "site"},
                  {milliseconds(30), kUnlimited, kUnlimited},
                  {bits_per_second(100'000'000), bits_per_second(100'000'000), false, Time{}}},
                 {{"lan", "machine"},
                  {microseconds(500), kUnlimited, kUnlimited},
                  {bits_per_second(1'000'000'000), bits_per_second(1'000'000'000), false, Time{}}},
                 {{"memory", "proc"}, {microseconds(5), kUnlimited, kUnlimited}, {}}};
  spec.whole.members = {cluster("north", 1, {host("a")}),
                        cluster("south", 1, {host("b"), host("c")})};
  return *build_machine(spec);
}

/// `count` processes side by side, of these costs in turn.
inline topology::Machine workstations(std::uint64_t count, const std::vector<Time>& send) {
  topology::MachineSpec spec;
  spec.where = "workstations";
  spec.levels = {{{"ethernet", "workstation"}, {}, {}}};
  for (std::uint64_t i = 0; i < count; ++i) {
    spec.whole.members.push_back(processes(1, send[i % send.size()]));
  }
  return *build_machine(spec);
}

/// Equal nodes of equal processes.
inline topology::Machine cluster_of(std::uint64_t nodes, std::uint64_t processes_each) {
  topology::MachineSpec spec;
  spec.where = "cluster";
  spec.levels = {{{"switch", "node"}, {microseconds(5), kUnlimited, kUnlimited}, {}},
                 {{"memory", "process"}, {microseconds(1), kUnlimited, kUnlimited}, {}}};
  spec.whole.members = {cluster("", nodes, {processes(processes_each)})};
  return *build_machine(spec);
}

/// Any machine of up to some dozens of processes.
inline topology::Machine any_machine(Random& rng) { return topology::random_machine(rng.next()); }

}  // namespace espalier
