#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "topology/resources.hpp"

namespace espalier::lab {

/// A change of hosts while programs run.
struct HostChange {
  std::optional<topology::Cost> send;        ///< cost of a send of each of the host's ranks
  std::optional<std::int64_t> cpu_permille;  ///< share of the cores of its ranks, in thousandths
};

/// Hosts by name ("anl-m1"), by a part of the machine ("anl", "anl.m1"), or all ("machine").
Expected<std::vector<std::size_t>> hosts_called(const topology::Machine& machine,
                                                const LabPlan& plan, const std::string& name);

/// Send costs hold from the next message on, also for programs that run. So do shares of the
/// processor where the kernel caps hosts; where the library does, they hold for ranks that were
/// slow when they started, and for later ones.
std::optional<Error> apply(const HostChange& change, const std::vector<std::size_t>& hosts,
                           OpenLab& lab);

/// A host's share of the time of the cores that its ranks would have: the mean of its ranks'.
[[nodiscard]] std::int64_t cpu_share(const RankBoard& ranks, const LabHost& host);

/// Caps the processor time of all slow hosts of a lab that is being brought up.
std::optional<Error> cap_slow_hosts(const CpuGroups& groups, const RankBoard& ranks,
                                    const LabPlan& plan);

/// "20us", "20us+1GB/s"
Expected<topology::Cost> parse_cost(const std::string& text);
/// "47%", "0.47", into thousandths; 0.1 % to 100 %
Expected<std::int64_t> parse_share(const std::string& text);

}  // namespace espalier::lab
