#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

/// A computer of the lab: a cluster of processes that share memory, or one process of its own.
struct LabHost {
  std::string name;           ///< hostname: letters, digits and dashes, unique in the lab
  topology::Member place;     ///< cluster or leaf of the machine that the host stands for
  std::vector<Rank> ranks;    ///< ranks that run on the host, ascending
  std::uint32_t address = 0;  ///< IPv4 address in host byte order

  friend bool operator==(const LabHost&, const LabHost&) = default;
};

/// Addresses are 10.1.x.y; more hosts than this are refused.
inline constexpr std::size_t kMostHosts = 250;

/// Which parts of a machine are computers, in the order of its tree:
///
/// - the outermost clusters that hold nothing but processes, directly or in parts of a computer
///   (sockets, NUMA nodes, caches);
/// - a leaf that is not called a process (core, rank, ...), that hangs beside clusters, or that
///   hangs directly below the whole machine.
///
/// The whole machine is never a computer, since a lab has a network.
Expected<std::vector<LabHost>> hosts_of(const topology::Machine& machine);

/// The host each rank runs on.
[[nodiscard]] std::vector<std::size_t> host_of_rank(const std::vector<LabHost>& hosts, Rank ranks);

/// "anl.m1": the names on the way to a part of the machine, or what its level calls it and its
/// index; "machine" for the whole.
[[nodiscard]] std::string path_name(const topology::Machine& machine, topology::Member part);

/// "10.1.0.3"
[[nodiscard]] std::string address_text(std::uint32_t address);

/// The machine with its ranks on the hosts that a file of `espalier place` names: HOST for one rank
/// a line (Open MPI's, Slurm's), or HOST:COUNT (MPICH's).
///
/// A host is called as in the lab ("site0-m1"), or by the end of that ("m1") if no other ends so.
/// Processes of the machine that the file gives no rank to come behind, along the tree.
/// Refuses: hosts that are not there, more ranks on one than it has processes, an empty file.
/// @param file for errors
Expected<topology::Machine> placed_machine(const topology::Machine& machine, std::string_view text,
                                           const std::string& file);

}  // namespace espalier::lab
