#include "runtime/prepared.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace espalier::runtime {

using schedule::Op;
using schedule::OpKind;
using schedule::Region;

namespace {

bool is_message(const Op& op) { return op.kind == OpKind::Send || op.kind == OpKind::Recv; }

void turn_dependencies_round(PreparedProgram& p) {
  const auto ops = p.program.ops.size();
  p.waits.resize(ops);
  p.first_dependent.assign(ops + 1, 0);
  for (std::size_t i = 0; i < ops; ++i) {
    p.waits[i] = p.program.ops[i].dep_count;
    for (const std::uint32_t dep : p.program.deps_of(p.program.ops[i])) {
      ++p.first_dependent[dep + 1];
    }
  }
  for (std::size_t i = 0; i < ops; ++i) p.first_dependent[i + 1] += p.first_dependent[i];
  p.dependents.resize(p.program.deps.size());
  std::vector<std::uint32_t> next(p.first_dependent.begin(), p.first_dependent.end() - 1);
  for (std::size_t i = 0; i < ops; ++i) {
    for (const std::uint32_t dep : p.program.deps_of(p.program.ops[i])) {
      p.dependents[next[dep]++] = static_cast<std::uint32_t>(i);
    }
  }
}

void sort_into_lanes(PreparedProgram& p, const std::function<std::uint32_t(Rank)>& level_of) {
  const auto ops = static_cast<std::uint32_t>(p.program.ops.size());
  std::map<std::pair<Rank, bool>, std::uint32_t> ids;
  std::vector<std::vector<Message>> by_lane;
  p.message_count.assign(ops, 0);
  for (std::uint32_t i = 0; i < ops; ++i) {
    p.first_lane.push_back(static_cast<std::uint32_t>(p.lanes_of_op.size()));
    const Op& op = p.program.ops[i];
    if (!is_message(op)) continue;
    for_each_message(p.program, op, [&](Rank peer, const Region& region) {
      const bool sends = op.kind == OpKind::Send;
      const auto [it, is_new] =
          ids.try_emplace({peer, sends}, static_cast<std::uint32_t>(p.lanes.size()));
      if (is_new) {
        p.lanes.push_back({peer, sends, level_of(peer), 0, 0});
        by_lane.emplace_back();
      }
      by_lane[it->second].push_back({i, op.tag, region});
      p.lanes_of_op.push_back(it->second);
      ++p.message_count[i];
    });
  }
  p.first_lane.push_back(static_cast<std::uint32_t>(p.lanes_of_op.size()));
  for (std::size_t l = 0; l < p.lanes.size(); ++l) {
    p.lanes[l].first = static_cast<std::uint32_t>(p.messages.size());
    p.lanes[l].count = static_cast<std::uint32_t>(by_lane[l].size());
    p.messages.insert(p.messages.end(), by_lane[l].begin(), by_lane[l].end());
  }
}

bool is_small(const PreparedProgram& p) {
  constexpr std::size_t kFewMessages = 32;
  const auto is_slice = [](const Region& r) { return r.outer.set == 0 && r.inner.set == 0; };
  return p.messages.size() <= kFewMessages &&
         std::all_of(p.program.ops.begin(), p.program.ops.end(), [&](const Op& op) {
           return is_slice(op.from) && is_slice(op.to) && (!is_message(op) || op.peer != kNoRank);
         });
}

}  // namespace

PreparedProgram prepare(schedule::Program program,
                        const std::function<std::uint32_t(Rank)>& level_of) {
  PreparedProgram p;
  p.program = std::move(program);
  turn_dependencies_round(p);
  sort_into_lanes(p, level_of);
  p.is_small = is_small(p);
  for (std::uint32_t i = 0; i < p.program.ops.size(); ++i) {
    if (p.program.ops[i].kind == OpKind::Recv) p.end_of_receives = i + 1;
  }
  for (const Message& message : p.messages) p.longest = std::max(p.longest, message.region.length);
  return p;
}

}  // namespace espalier::runtime
