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

void sort_into_lanes(PreparedProgram& p, const std::function<PeerLink(Rank)>& link_to) {
  const auto ops = static_cast<std::uint32_t>(p.program.ops.size());
  std::map<std::pair<Rank, bool>, std::uint32_t> ids;
  std::vector<std::vector<Message>> by_lane;
  std::vector<std::uint32_t> lanes;  // lane of each message, op by op
  p.message_count.assign(ops, 0);
  for (std::uint32_t i = 0; i < ops; ++i) {
    p.first_message.push_back(static_cast<std::uint32_t>(lanes.size()));
    const Op& op = p.program.ops[i];
    if (!is_message(op)) continue;
    for_each_message(p.program, op, [&](Rank peer, const Region& region) {
      const bool sends = op.kind == OpKind::Send;
      const auto [it, is_new] =
          ids.try_emplace({peer, sends}, static_cast<std::uint32_t>(p.lanes.size()));
      if (is_new) {
        p.lanes.push_back({peer, sends, link_to(peer), 0, 0});
        by_lane.emplace_back();
      }
      p.messages_of_op.push_back(static_cast<std::uint32_t>(by_lane[it->second].size()));
      by_lane[it->second].push_back({i, op.tag, it->second, region});
      lanes.push_back(it->second);
      ++p.message_count[i];
    });
  }
  p.first_message.push_back(static_cast<std::uint32_t>(lanes.size()));
  for (std::size_t l = 0; l < p.lanes.size(); ++l) {
    p.lanes[l].first = static_cast<std::uint32_t>(p.messages.size());
    p.lanes[l].count = static_cast<std::uint32_t>(by_lane[l].size());
    p.messages.insert(p.messages.end(), by_lane[l].begin(), by_lane[l].end());
  }
  for (std::size_t m = 0; m < p.messages_of_op.size(); ++m) {
    p.messages_of_op[m] += p.lanes[lanes[m]].first;
  }
}

bool is_sequential(const schedule::Program& program) {
  const auto is_slice = [](const Region& r) { return r.outer.set == 0 && r.inner.set == 0; };
  if (program.ops.size() > kMostSequentialSteps) return false;
  std::vector<std::uint64_t> before(program.ops.size(), 0);  // what each waits for, directly or not
  std::uint64_t receives = 0;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!is_slice(op.from) || !is_slice(op.to) || (is_message(op) && op.peer == kNoRank)) {
      return false;
    }
    for (const std::uint32_t dep : program.deps_of(op)) {
      before[i] |= before[dep] | (std::uint64_t{1} << dep);
    }
    if (op.kind == OpKind::Send && (receives & ~before[i]) != 0) return false;
    if (op.kind == OpKind::Recv) receives |= std::uint64_t{1} << i;
  }
  return true;
}

std::vector<SequentialStep> steps_of(const PreparedProgram& p) {
  std::vector<SequentialStep> steps;
  for (std::uint32_t i = 0; i < p.program.ops.size(); ++i) {
    const Op& op = p.program.ops[i];
    SequentialStep step;
    step.kind = op.kind;
    for (const std::uint32_t dep : p.program.deps_of(op)) {
      step.waits_for_send |= p.program.ops[dep].kind == OpKind::Send;
    }
    if (is_message(op)) {
      const Region& region = op.kind == OpKind::Send ? op.from : op.to;
      step.buffer = region.buffer;
      step.offset = region.offset;
      step.length = region.length;
      step.tag = op.tag;
      step.peer = op.peer;
      step.level = p.lanes[p.messages[p.messages_of(i).front()].lane].link.level;
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

PeerLink link_along(const topology::Path& path) {
  PeerLink link{path.level, topology::kTransport.is_far(path.latency)};
  if (!link.is_far || path.bandwidth.unlimited()) return link;
  using Wide = unsigned __int128;
  constexpr Wide kPicosecondsTimesBits = 8'000'000'000'000;
  const Wide round_trip = 2 * Wide{static_cast<std::uint64_t>(path.latency.picoseconds)};
  const Wide bytes = Wide{path.bandwidth.bits_per_second} * round_trip / kPicosecondsTimesBits;
  constexpr Wide kMost = std::uint64_t{1} << 62U;
  link.fills = static_cast<std::uint64_t>(std::min(bytes, kMost));
  return link;
}

PreparedProgram prepare(schedule::Program program, const std::function<PeerLink(Rank)>& link_to) {
  PreparedProgram p;
  p.program = std::move(program);
  turn_dependencies_round(p);
  sort_into_lanes(p, link_to);
  if (is_sequential(p.program)) p.steps = steps_of(p);
  for (const Lane& lane : p.lanes) {
    p.levels = std::max(p.levels, lane.link.level + 1);
    p.goes_far |= lane.link.is_far;
  }
  for (const Message& message : p.messages) p.longest = std::max(p.longest, message.region.length);
  return p;
}

void rescale(PreparedProgram& prepared, std::uint64_t from, std::uint64_t to) {
  const auto change = [&](std::uint64_t& units) {
    if (units != 0) units = units == from ? to : units / from * to;
  };
  const auto change_region = [&](schedule::Region& region) {
    change(region.offset);
    change(region.length);
    change(region.outer.stride);
    change(region.inner.stride);
  };
  change(prepared.program.scratch_units);
  for (schedule::Op& op : prepared.program.ops) {
    change_region(op.from);
    change_region(op.to);
    change(op.peer_stride);
  }
  for (Message& message : prepared.messages) change_region(message.region);
  for (SequentialStep& step : prepared.steps) {
    change(step.offset);
    change(step.length);
  }
  change(prepared.longest);
}

}  // namespace espalier::runtime
