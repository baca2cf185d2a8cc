#include "bound/witness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"

namespace espalier::bound {
namespace {

using topology::Cluster;
using topology::Leaf;
using topology::Machine;
using Kind = Witness::Kind;
using Direction = Witness::Direction;
using Through = Witness::Through;

std::string name_of_part(const Witness& witness, const Machine& machine) {
  if (witness.part_is_leaf) return fmt::format("rank {}", machine.rank_at(witness.part));
  const std::string& name = machine.clusters()[witness.part].name;
  std::string part = name;
  if (name.empty()) {
    part = witness.part == 0 ? "the machine" : fmt::format("cluster {}", witness.part);
  }
  if (witness.members.empty()) return part;
  return fmt::format("members {} of {}", fmt::join(witness.members, ", "), part);
}

std::string_view verb_of(Direction direction) {
  switch (direction) {
    case Direction::Out:
      return "leave";
    case Direction::In:
      return "enter";
    case Direction::Both:
      break;
  }
  return "enter and leave";
}

std::string_view what_of(Through through) {
  switch (through) {
    case Through::Uplink:
      return "";
    case Through::Flows:
      return " over all its flows";
    case Through::Pairs:
      break;
  }
  return " over their links";
}

/// What `before` is the time of: the bytes of a border, and those that a rank receives, may be sent
/// earlier, but have not arrived.
std::string_view what_is_not_before(const Witness& witness) {
  const bool sends = witness.kind == Kind::Processor && witness.direction != Direction::In;
  const bool begins = sends || witness.kind == Kind::Combining;
  return begins ? "not before" : "nothing arrives before";
}

/// ", nothing arrives before 30 ms": nothing if there is nothing to say.
std::string around(const Witness& witness) {
  std::string text;
  if (witness.before > Time{0}) {
    text += fmt::format(", {} {}", what_is_not_before(witness), rounded(witness.before));
  }
  if (witness.after > Time{0}) text += fmt::format(", {} before the end", rounded(witness.after));
  return text;
}

std::string describe_fan(const Witness& witness) {
  return fmt::format("rank {} must {} {} others, each message takes at least {} + {} + {}",
                     witness.rank, witness.direction == Direction::Out ? "reach" : "hear from",
                     witness.reached, rounded(witness.send), rounded(witness.latency),
                     rounded(witness.recv));
}

std::string describe_processor(const Witness& witness) {
  std::string what;
  if (witness.bytes.value > 0) what = fmt::format("send {}", to_string(witness.bytes));
  if (witness.bytes_in.value > 0) {
    what += fmt::format("{}receive {}", what.empty() ? "" : " and ", to_string(witness.bytes_in));
  }
  return fmt::format("rank {} itself must {}{}", witness.rank, what, around(witness));
}

void add_leaves(std::vector<Rank>& ranks, const Machine& machine, Leaf first, std::uint32_t count) {
  for (Leaf leaf = first; leaf < first + count; ++leaf) ranks.push_back(machine.rank_at(leaf));
}

}  // namespace

std::vector<Rank> ranks_of_part(const Witness& witness, const Machine& machine) {
  std::vector<Rank> ranks;
  const bool has_part = witness.kind == Kind::Cut || witness.kind == Kind::Backbone ||
                        witness.kind == Kind::Processor;
  if (!has_part) return ranks;
  if (witness.part_is_leaf) return {machine.rank_at(witness.part)};
  const Cluster& cluster = machine.clusters()[witness.part];
  if (witness.members.empty()) {
    add_leaves(ranks, machine, cluster.first_leaf, cluster.leaf_count);
  }
  for (const std::uint32_t m : witness.members) {
    const topology::Member& member = machine.members(cluster)[m];
    if (member.is_leaf) {
      add_leaves(ranks, machine, member.id, 1);
    } else {
      const Cluster& below = machine.clusters()[member.id];
      add_leaves(ranks, machine, below.first_leaf, below.leaf_count);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string describe(const Witness& witness, const Machine& machine) {
  switch (witness.kind) {
    case Kind::Nothing:
      return "nothing has to move";
    case Kind::Way:
      return fmt::format("what rank {} has must reach rank {}", witness.path.front(),
                         witness.path.back());
    case Kind::Fan:
      return describe_fan(witness);
    case Kind::Cut:
      return fmt::format("{} must {} {}{} at {}{}", to_string(witness.bytes),
                         verb_of(witness.direction), name_of_part(witness, machine),
                         what_of(witness.through), to_string(witness.capacity), around(witness));
    case Kind::Backbone:
      return fmt::format("{} must cross the backbone of {} at {}{}", to_string(witness.bytes),
                         name_of_part(witness, machine), to_string(witness.capacity),
                         around(witness));
    case Kind::Processor:
      return describe_processor(witness);
    case Kind::Combining:
      return fmt::format("{} must be combined, by all together at {}{}", to_string(witness.bytes),
                         to_string(witness.capacity), around(witness));
  }
  return "?";
}

}  // namespace espalier::bound
