#pragma once

#include <string>
#include <string_view>

#include "topology/machine.hpp"

namespace espalier::topology {

/// Whether a level calls its members processes: "proc", "rank", "core", "slot", ... or nothing.
[[nodiscard]] bool names_a_process(std::string_view word);

/// Whether a level calls its members parts of one computer: "socket", "numa", "l3", ...
[[nodiscard]] bool names_a_part_of_a_computer(std::string_view word);

/// What members of the cluster are called: "site"; empty if its level does not say.
[[nodiscard]] std::string members_name(const Machine& machine, const Cluster& cluster);

/// Whether a cluster holds nothing but processes, directly or in parts of a computer: it is a
/// computer, or a part of one.
[[nodiscard]] bool holds_only_processes(const Machine& machine, const Cluster& cluster);

}  // namespace espalier::topology
