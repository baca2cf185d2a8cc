#include "report/lanes.hpp"

#include <algorithm>

namespace espalier::report {
namespace {

using sim::MessageTrace;
using sim::StepTrace;

std::vector<Rank> critical_ranks(const sim::SimResult& result) {
  std::vector<Rank> ranks;
  std::vector<bool> seen(result.rank_finish.size(), false);
  const auto add = [&](Rank rank) {
    if (rank == kNoRank || seen[rank]) return;
    seen[rank] = true;
    ranks.push_back(rank);
  };
  for (const sim::CriticalStep& step : result.critical_path) {
    add(step.rank);
    if (step.kind == sim::CriticalStep::Kind::Transfer) add(step.peer);
  }
  return ranks;
}

/// For each rank the bytes it sends and receives on each level, a message counting as one more.
std::vector<std::vector<std::uint64_t>> traffic(const sim::SimResult& result) {
  std::vector<std::vector<std::uint64_t>> bytes(
      result.rank_finish.size(), std::vector<std::uint64_t>(result.levels.size(), 0));
  for (const MessageTrace& m : result.timeline) {
    if (m.level >= result.levels.size()) continue;
    bytes[m.from][m.level] += m.bytes.value + 1;
    bytes[m.to][m.level] += m.bytes.value + 1;
  }
  return bytes;
}

/// In turn from each innermost cluster, so that every part of the machine is seen: of its ranks
/// those first that have most to do with the slowest channels.
std::vector<Rank> in_turn(std::vector<Rank> ranks, const SimulatedPlan& plan,
                          const topology::Machine& machine) {
  const auto bytes = traffic(plan.result);
  std::stable_sort(ranks.begin(), ranks.end(), [&](Rank a, Rank b) { return bytes[a] > bytes[b]; });
  std::vector<std::uint32_t> turn(machine.size());
  std::vector<std::uint32_t> taken(machine.clusters().size(), 0);
  for (const Rank r : ranks) turn[r] = taken[machine.cluster_of(machine.leaf_of(r))]++;
  std::stable_sort(ranks.begin(), ranks.end(), [&](Rank a, Rank b) { return turn[a] < turn[b]; });
  return ranks;
}

std::vector<Rank> shown_ranks(const SimulatedPlan& plan, const topology::Machine& machine,
                              std::size_t most) {
  std::vector<Rank> others(machine.size());
  for (Rank r = 0; r < machine.size(); ++r) others[r] = r;
  if (others.size() <= most) return others;
  std::vector<Rank> shown = critical_ranks(plan.result);
  // A path through all ranks says little about each; others should be seen too.
  const std::size_t third = (most + 2) / 3;
  if (shown.size() > 2 * third) {
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(third),
                shown.end() - static_cast<std::ptrdiff_t>(third));
  }
  std::vector<bool> is_shown(machine.size(), false);
  for (const Rank r : shown) is_shown[r] = true;
  std::erase_if(others, [&](Rank r) { return is_shown[r]; });
  others = in_turn(std::move(others), plan, machine);
  others.resize(most - std::min(most, shown.size()));
  std::sort(others.begin(), others.end());
  shown.insert(shown.end(), others.begin(), others.end());
  return shown;
}

/// Of times that never came there are none.
Time last_moment(const sim::SimResult& result) {
  Time last{0};
  const auto see = [&](Time t) {
    if (t != kForever) last = std::max(last, t);
  };
  for (const Time t : result.rank_finish) see(t);
  for (const MessageTrace& m : result.timeline) {
    for (const Time t : {m.send_end, m.arrived, m.recv_end}) see(t);
  }
  for (const StepTrace& s : result.steps) see(s.end);
  return last;
}

}  // namespace

Lanes lanes_of(const SimulatedPlan& plan, const topology::Machine& machine, std::size_t most) {
  const sim::SimResult& result = plan.result;
  Lanes found;
  found.horizon = last_moment(result);
  const std::vector<Rank> shown = shown_ranks(plan, machine, most);
  found.hidden = result.rank_finish.size() - shown.size();
  constexpr std::uint32_t kNoLane = ~std::uint32_t{0};
  std::vector<std::uint32_t> lane_of(result.rank_finish.size(), kNoLane);
  for (const Rank r : shown) {
    lane_of[r] = static_cast<std::uint32_t>(found.lanes.size());
    found.lanes.push_back({r, false, result.rank_finish[r], {}});
    if (!plan.entered.empty() && plan.entered[r] > Time{0}) {
      found.lanes.back().activities.push_back(
          {Activity::Kind::Late, Time{0}, plan.entered[r], 0, kNoRank});
    }
  }
  for (const Rank r : critical_ranks(result)) {
    if (lane_of[r] != kNoLane) found.lanes[lane_of[r]].critical = true;
  }
  const auto add = [&](Rank rank, const Activity& activity) {
    if (lane_of[rank] == kNoLane || activity.end == kForever) return;
    found.lanes[lane_of[rank]].activities.push_back(activity);
  };
  for (const MessageTrace& m : result.timeline) {
    add(m.to, {Activity::Kind::UnderWay, m.send_end, m.flows, m.level, m.from});
    add(m.to, {Activity::Kind::Arrives, m.flows, m.arrived, m.level, m.from});
    add(m.from, {Activity::Kind::Send, m.send_begin, m.send_end, m.level, m.to});
    add(m.to, {Activity::Kind::Recv, m.recv_begin, m.recv_end, m.level, m.from});
  }
  for (const StepTrace& s : result.steps) {
    const auto kind =
        s.kind == schedule::OpKind::Copy ? Activity::Kind::Copy : Activity::Kind::Reduce;
    add(s.rank, {kind, s.begin, s.end, 0, kNoRank});
  }
  return found;
}

}  // namespace espalier::report
