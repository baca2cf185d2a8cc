#include "bound/lower_bound.hpp"

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

void look_at_ways(const Machine& machine, const Collective& call, const Propose& propose) {
  const bool towards = flows_to_root(call.operation);
  for (const Rank end : ends_of_ways(machine, call)) {
    const RelayPaths ways = towards ? paths_to(machine, end) : paths_from(machine, end);
    Rank farthest = kNoRank;
    for (Rank r = 0; r < call.size; ++r) {
      if (!(towards ? depends(call, r, end) : depends(call, end, r))) continue;
      if (farthest == kNoRank || ways.time[r] > ways.time[farthest]) farthest = r;
    }
    if (farthest == kNoRank) continue;
    Witness witness;
    witness.kind = Witness::Kind::Way;
    witness.path = ways.path(farthest);
    propose(ways.time[farthest], witness);
  }
}

}  // namespace

LowerBound lower_bound(const Machine& machine, const Collective& call) {
  expects(call.size == machine.size(), "lower_bound: call and machine differ in size");
  LowerBound best;
  if (call.size < 2) return best;
  const Propose propose = [&](Time value, const Witness& witness) {
    if (value > best.value) best = {value, witness};
  };
  if (call.size <= kWaysUpTo) {
    look_at_ways(machine, call, propose);
    const LowerBound fan = fan_bound(machine, call);
    propose(fan.value, fan.witness);
  }
  const Reach reach = reach_of(machine, call);
  look_at_borders(machine, call, reach, propose);
  look_at_unions(machine, call, reach, propose);
  look_at_backbones(machine, call, reach, propose);
  look_at_processors(machine, call, reach, propose);
  look_at_combining(machine, call, propose);
  return best;
}

}  // namespace espalier::bound
