#include "runtime/multicast_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"
#include "base/float_environment.hpp"
#include "base/text_hash.hpp"
#include "model/machine_models.hpp"
#include "schedule/program_builder.hpp"
#include "select/chooser.hpp"
#include "topology/views.hpp"
#include "tree/earliest_completing_edge_first.hpp"
#include "tree/multiple_multicast.hpp"

namespace espalier::runtime {
namespace {

using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;
using topology::Machine;

/// What the one chooser takes for a broadcast among the members, of plans along one tree: their
/// messages have one peer each.
select::PlanChoice best_tree(const collective::Hierarchy& part, const Collective& call) {
  select::Chooser chooser(part, {}, {}, collective::tree_algorithms());
  select::PlanChoice best = chooser.choose(call, select::WhichPlan::Best);
  expects(best.planned(), "plan_multicast: no tree");
  return best;
}

/// Ranks of the part become ranks of the machine.
schedule::Program on_machine(schedule::Program program, std::span<const Rank> members) {
  program.rank = members[program.rank];
  for (schedule::Op& op : program.ops) {
    if (op.kind != schedule::OpKind::Send && op.kind != schedule::OpKind::Recv) continue;
    expects(op.peer != kNoRank, "plan_multicast: a tree's messages have one peer each");
    op.peer = members[op.peer];
  }
  return program;
}

PreparedProgram prepared(schedule::Program program, const Machine& machine, Rank rank) {
  return prepare(std::move(program),
                 [&](Rank peer) { return link_along(machine.path(rank, peer)); });
}

/// A hash of what all ranks must know alike, so that ranks that differ are found out.
std::uint64_t signature_of(std::span<const MulticastCall> calls) {
  TextHash hash;
  for (const MulticastCall& call : calls) {
    hash.add(call.root).add(call.bytes);
    for (const Rank rank : call.to) hash.add(rank);
  }
  return hash.value() ^ (hash.value() >> 32U);
}

void set_name(CachedPlan& plan, std::string name) { plan.name = std::move(name); }

std::vector<Rank> members_of(const MulticastCall& call) {
  std::vector<Rank> members{call.root};
  members.insert(members.end(), call.to.begin(), call.to.end());
  return members;
}

Time predict_one(const Machine& machine, const MulticastCall& call) {
  if (call.to.empty()) return Time{};
  const Machine part = topology::submachine(machine, members_of(call));
  return best_tree(collective::Hierarchy(part),
                   {Operation::Broadcast, part.size(), 0, call.bytes, Bytes{1}, true, {}})
      .predicted.value_or(Time{});
}

tree::MultipleMulticast together(const Machine& machine, std::span<const MulticastCall> calls) {
  const model::Levels model(machine);
  std::uint64_t longest = 0;
  for (const MulticastCall& call : calls) longest = std::max(longest, call.bytes);
  std::vector<tree::Participants> who;
  std::vector<tree::CommTree> separate;
  for (const MulticastCall& call : calls) {
    who.push_back(tree::multicast(machine.size(), call.root, call.to));
    separate.push_back(tree::earliest_completing_edge_first(model, Bytes{longest}, who.back()));
  }
  return tree::multiple_multicast(who, separate, model, Bytes{longest});
}

}  // namespace

bool MulticastCall::has(Rank rank) const {
  return rank == root || std::find(to.begin(), to.end(), rank) != to.end();
}

CachedPlan plan_multicast(const Machine& machine, const MulticastCall& call, Rank rank) {
  CachedPlan plan;
  plan.planned = true;
  plan.is_collective = false;
  plan.why = "the shortest predicted time among trees";
  plan.signature = signature_of({&call, 1});
  plan.prepared.program.rank = rank;
  set_name(plan, "multicast");
  if (call.to.empty()) {
    plan.prepared = prepared(plan.prepared.program, machine, rank);
    return plan;
  }
  const std::vector<Rank> members = members_of(call);
  const Machine part = topology::submachine(machine, members);
  const collective::Hierarchy hierarchy(part);
  plan.call = {Operation::Broadcast, part.size(), 0, call.bytes, Bytes{1}, true, {}};
  const select::PlanChoice best = best_tree(hierarchy, plan.call);
  plan.predicted = best.predicted;
  set_name(plan, fmt::format("multicast {}", best.name));
  const auto self = std::find(members.begin(), members.end(), rank);
  schedule::Program program;
  program.rank = rank;
  if (self != members.end()) {
    const auto position = static_cast<Rank>(self - members.begin());
    program = on_machine(own_part(best, hierarchy, plan.call, position), members);
  }
  plan.prepared = prepared(std::move(program), machine, rank);
  return plan;
}

CachedPlan plan_multicasts(const Machine& machine, std::span<const MulticastCall> calls,
                           Rank rank) {
  expects(calls.size() >= 2 && calls.size() <= kMulticastsAtOnce, "plan_multicasts: how many?");
  CachedPlan plan;
  plan.is_collective = false;
  plan.signature = signature_of(calls);
  set_name(plan, "multicasts one after the other");
  std::size_t destinations = 0;
  for (const MulticastCall& call : calls) destinations += call.to.size();
  plan.why = "too many destinations to be planned together";
  if (destinations > kTogetherUpTo) return plan;
  Time one_by_one;
  for (const MulticastCall& call : calls) one_by_one += predict_one(machine, call);
  plan.predicted = one_by_one;
  const tree::MultipleMulticast best = together(machine, calls);
  plan.why = "predicted to be as fast as together";
  const Time at_once = std::min(best.joint_time, best.separate_time);
  if (at_once >= one_by_one) return plan;

  plan.planned = true;
  plan.predicted = at_once;
  set_name(plan,
           best.joint ? "multicasts together, joint trees" : "multicasts together, a tree each");
  plan.why = "the shortest predicted time";
  std::vector<std::uint64_t> offset;
  std::uint64_t end = 0;
  for (const MulticastCall& call : calls) {
    offset.push_back(end);
    if (call.has(rank)) end += call.bytes;
  }
  schedule::ProgramBuilder builder(rank);
  for (const tree::SharedSend& send : best.plan.run.sends) {
    const auto data =
        schedule::slice(Buffer::Out, offset[send.multicast], calls[send.multicast].bytes);
    if (send.to == rank) builder.recv(send.from, data, send.multicast);
    if (send.from == rank) builder.send(send.to, data, send.multicast);
  }
  plan.prepared = prepared(std::move(builder).build(), machine, rank);
  return plan;
}

const CachedPlan& MulticastPlans::find(const topology::Machine& machine,
                                       const std::vector<MulticastCall>& calls, Rank rank) {
  const auto found = plans_.find(calls);
  if (found != plans_.end()) return found->second;
  if (plans_.size() >= kMost) plans_.clear();
  const DefaultFloats floats;
  CachedPlan plan = calls.size() == 1 ? plan_multicast(machine, calls.front(), rank)
                                      : plan_multicasts(machine, calls, rank);
  return plans_.emplace(calls, std::move(plan)).first->second;
}

}  // namespace espalier::runtime
