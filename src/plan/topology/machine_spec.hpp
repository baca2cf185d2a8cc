#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::topology {

/// What readers produce: a machine as it was described, with counts and defaults not yet spelled
/// out. build_machine() checks it and spells it out; no reader makes a Machine in another way.

/// What readers of our own descriptions take for a latency that is given as 0: it is known, so no
/// other is assumed for it, and no prediction is 0 s.
inline constexpr Time kLeastLatency{1};

struct ChannelOverride {
  std::optional<Time> latency;
  std::optional<Bandwidth> backbone;
  std::optional<Bandwidth> flow_cap;
};

struct CostOverride {
  std::optional<Cost> send;
  std::optional<Cost> recv;
  std::optional<Bandwidth> reduce;
  std::optional<std::uint64_t> speed_millionths;
};

/// One or more equal members of a cluster. Without members of its own it is a process.
struct MemberSpec {
  std::string where;  ///< "file:line", for errors
  std::string name;   ///< plain name, or a hostlist such as "n[0-3]", which also gives the count
  std::uint64_t count = 1;
  ChannelOverride channel;       ///< the channel that joins its members
  std::optional<Uplink> uplink;  ///< what joins it to the cluster it is in
  CostOverride costs;            ///< default for all processes below it
  struct Pair {
    std::string where;
    std::string a, b;  ///< the two members: each by its name, or else by its index
    std::optional<Time> latency;
    Bandwidth capacity = kUnlimited;
    bool a_is_index = false;  ///< an index, even if another member has it for a name
    bool b_is_index = false;
  };
  std::vector<Pair> pairs;
  std::vector<MemberSpec> members;
};

struct LevelSpec {
  LevelName name;
  Channel channel;  ///< default for every cluster of this level
  Uplink uplink;    ///< default for every member of this level
};

enum class PlacementKind { Block, Cyclic, Listed };

struct MachineSpec {
  std::string where;
  std::string name;
  std::vector<LevelSpec> levels;  ///< empty: one level for each depth of the tree, without figures
  MemberSpec whole;               ///< the whole machine; its name, count and uplink are ignored
  PlacementKind placement = PlacementKind::Block;
  std::vector<std::uint64_t> listed;  ///< PlacementKind::Listed only: the leaf of each rank
};

/// Beyond this a description is taken for a mistake: 16,777,216 processes (and as many clusters).
/// The fuzzers, to which a few bytes may name them all, are built with fewer.
#ifdef ESPALIER_MAX_PROCESSES
inline constexpr std::uint64_t kMaxProcesses = ESPALIER_MAX_PROCESSES;
#else
inline constexpr std::uint64_t kMaxProcesses = std::uint64_t{1} << 24;
#endif

/// Refuses: no process or too many, names that stand twice in one cluster or hold brackets, commas
/// or control characters, more or fewer levels than the tree has, pairs of unknown members, half
/// duplex with unequal directions, a speed of 0, a placement that is no permutation. O(processes +
/// clusters).
Expected<Machine> build_machine(const MachineSpec& spec);

}  // namespace espalier::topology
