#include "bound/lower_bound.hpp"

#include <algorithm>
#include <optional>

#include "base/contract.hpp"
#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"
#include "bound/relay_paths.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using topology::Machine;

/// Where ways begin (or end, at the root of what is gathered there). Leaving some out is a choice
/// of what to look at, not a weaker proof.
std::vector<Rank> ends_of_ways(const Machine& machine, const Collective& call) {
  if (flows_from_root(call.operation) || flows_to_root(call.operation)) return {call.root};
  std::vector<Rank> ends;
  if (call.size <= kAllWaysUpTo) {
    for (Rank r = 0; r < call.size; ++r) ends.push_back(r);
    return ends;
  }
  for (const topology::Member& member : machine.members(machine.clusters()[0])) {
    ends.push_back(
        machine.rank_at(member.is_leaf ? member.id : machine.clusters()[member.id].first_leaf));
  }
  return ends;
}

/// The longest ways, and when ranks can have something to send or be done by them: of operations
/// with a root the ways are its own.
Reach look_at_ways(const Machine& machine, const Collective& call, const Distances& distances,
                   const Propose& propose) {
  const bool towards = flows_to_root(call.operation);
  const std::vector<Time> zeros(machine.size(), Time{0});
  Reach reach{zeros, zeros};
  Time longest{0};
  for (const Rank end : ends_of_ways(machine, call)) {
    const auto is_end = [&](Rank r) {
      return towards ? depends(call, r, end) : depends(call, end, r);
    };
    const bool is_root = towards || flows_from_root(call.operation);
    if (!is_root) {
      // No way is longer than one message: where none of these is longer than a way that is known,
      // relays need no search. On machines of equal parts the first end stands for all.
      const std::vector<Time> hops = hops_from(machine, distances, end);
      Time most{0};
      for (Rank r = 0; r < call.size; ++r) {
        if (hops[r] > most && is_end(r)) most = hops[r];
      }
      if (most <= longest) continue;
    }
    RelayPaths ways =
        towards ? paths_to(machine, distances, end) : paths_from(machine, distances, end);
    Rank farthest = kNoRank;
    for (Rank r = 0; r < call.size; ++r) {
      if (!is_end(r)) continue;
      if (farthest == kNoRank || ways.time[r] > ways.time[farthest]) farthest = r;
    }
    if (farthest != kNoRank) {
      longest = std::max(longest, ways.time[farthest]);
      Witness witness;
      witness.kind = Witness::Kind::Way;
      witness.path = ways.path(farthest);
      propose(ways.time[farthest], witness);
    }
    if (is_root) (towards ? reach.remaining : reach.earliest) = std::move(ways.time);
  }
  return reach;
}

}  // namespace

LowerBound lower_bound(const Machine& machine, const Collective& call) {
  expects(call.size == machine.size(), "lower_bound: call and machine differ in size");
  LowerBound best;
  if (call.size < 2) return best;
  const Propose propose = [&](Time value, const Witness& witness) {
    if (value > best.value) best = {value, witness};
  };
  std::optional<Distances> distances;
  Reach reach;
  if (call.size <= kWaysUpTo) {
    distances.emplace(machine);
    reach = look_at_ways(machine, call, *distances, propose);
    const LowerBound fan = fan_bound(machine, call, *distances);
    propose(fan.value, fan.witness);
  } else {
    reach.earliest = reach.remaining = std::vector<Time>(machine.size(), Time{0});
  }
  const Distances* known = distances ? &*distances : nullptr;
  const Passages passages(machine, known, std::move(reach));
  look_at_borders(machine, call, passages, propose);
  look_at_unions(machine, call, passages, propose);
  look_at_backbones(machine, call, passages, propose);
  look_at_processors(machine, call, passages, propose);
  look_at_combining(machine, call, known, propose);
  return best;
}

}  // namespace espalier::bound
