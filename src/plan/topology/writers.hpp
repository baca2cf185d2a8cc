#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/machine.hpp"

namespace espalier::topology {

/// The machine in the JSON form of docs/machine.md. Exact: read_json(write_json(m)) == m.
///
/// Compact: figures that the first member of a level has become the level's; equal neighbours are
/// written once, with a count or a range of names.
/// @param notes what a reader should know of the figures, a sentence each
[[nodiscard]] std::string write_json(const Machine& machine,
                                     std::span<const std::string> notes = {});

/// A SimGrid platform (XML, version 4.1; SimGrid 3.32 loads it) with one host for each process.
///
/// Every pair's route has the latency and the narrowest bandwidth of Machine::path. What is shared
/// in the machine is one shared link: uplinks are SPLITDUPLEX (two links if out and in differ,
/// SHARED if half duplex), backbones SHARED, caps of flows FATPIPE; "1EBps" stands for unlimited,
/// and a link without limit is SHARED (SimGrid takes time quadratic in the flows of a FATPIPE).
/// Costs of sending and receiving are the properties smpi/os, smpi/ois and smpi/or, a speed of 1 is
/// 1 Gf.
/// What SimGrid has no word for is kept for read_simgrid in properties espalier/...; names of
/// levels are lost. A cluster takes room proportional to its members and pairs, not to its pairs of
/// members.
/// @pre no bandwidth but kUnlimited above 2^62 bit/s
[[nodiscard]] std::string write_simgrid(const Machine& machine);

/// The same hosts and network in one zone, with a route for each pair of hosts: for simulating
/// only, since read_simgrid would not find its clusters. Where flows have caps, each pair has a
/// link for its own, so that simulating takes time linear in the flows. Room grows with the square
/// of size().
[[nodiscard]] std::string write_simgrid_pairs(const Machine& machine);

/// The host of each rank in either platform. Names are those of the leaves where these are unique
/// and plain (letters, digits, '.', '_', '-'), else made of the clusters they are in.
[[nodiscard]] std::vector<std::string> simgrid_hosts(const Machine& machine);

}  // namespace espalier::topology
