#pragma once

#include <optional>
#include <string_view>

#include "base/types.hpp"
#include "schedule/collective.hpp"
#include "topology/machine.hpp"

namespace espalier::select {

/// What calls are called that go through the memory of a node instead of by messages
/// (docs/adr/0031-shared-memory-of-a-node.md): in tool, library and reports alike.
inline constexpr std::string_view kSharedMemory = "shared memory";

/// Likewise, if readers read straight from the memory of the writer's process
/// (docs/adr/0048-one-copy-inside-a-node.md).
inline constexpr std::string_view kOneCopy = "shared memory in one copy";

/// Data go through memory in pieces of a quarter of the message, within these bounds.
inline constexpr std::uint64_t kShortestSharedPiece = 4096;
inline constexpr std::uint64_t kLongestSharedPiece = 32768;
/// Most ranks that share a segment.
inline constexpr Rank kMostSharing = 128;

/// What going through memory costs. No machine is measured for that yet: these are figures of one
/// host (Neoverse V1, two pinned ranks of Open MPI, scripts/bench_shared.sh, 2026-11-17). The
/// median error of the cells that they were fitted to is 13 %.
struct SharedMemoryCosts {
  Time call = nanoseconds(130);  ///< own work of each rank in a call, besides copies and flags
  Time flag = nanoseconds(170);  ///< a flag that one rank raises is seen by another
  Time copy_of_byte = picoseconds(35);  ///< a byte copied into the segment or out of it
  Time fold_of_byte = picoseconds(30);  ///< combining, for each byte that goes in
};

/// Whether all ranks run on one node: the outermost level of the machine is memory.
[[nodiscard]] bool is_one_node(const topology::Machine& machine);

/// Whether such a call may be copied once: it moves blocks of equal lengths.
[[nodiscard]] bool may_copy_once(const schedule::Collective& call);
/// Whether that is worth a trial: from blocks of 16 KiB on if all readers read other bytes, from
/// 64 KiB on if one reads all or all read the same (bench/mpi/copies.cpp).
[[nodiscard]] bool is_worth_one_copy(const schedule::Collective& call);

/// Predicted time of a call through memory among others like it, if each rank has a core of its
/// own: what the busiest rank copies and combines, and the flags that it waits for. Where data go
/// one way the writer is ahead, and nobody waits. Absent where calls do not go through memory:
/// several nodes, too many ranks, blocks of different lengths.
[[nodiscard]] std::optional<Time> predict_shared_memory(const topology::Machine& machine,
                                                        const schedule::Collective& call,
                                                        const SharedMemoryCosts& costs = {});

/// Predicted time of such a call among ranks that all share a node, as many as it has.
/// @pre call.size > 1, blocks of one length
[[nodiscard]] Time time_in_memory(const schedule::Collective& call,
                                  const SharedMemoryCosts& costs = {});

}  // namespace espalier::select
