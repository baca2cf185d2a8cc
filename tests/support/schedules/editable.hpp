#pragma once

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "schedule/program_builder.hpp"
#include "schedule/schedule.hpp"

namespace espalier::test_schedules {

/// A program with the dependencies beside the ops, for changing it.
struct Editable {
  struct Step {
    schedule::Op op;
    std::vector<std::uint32_t> deps;
  };
  std::vector<Step> steps;

  explicit Editable(const schedule::Program& program) {
    for (const schedule::Op& op : program.ops) {
      const auto deps = program.deps_of(op);
      steps.push_back({op, {deps.begin(), deps.end()}});
    }
  }

  void put_back(schedule::Program& program) const {
    program.ops.clear();
    program.deps.clear();
    for (const Step& step : steps) {
      schedule::Op op = step.op;
      op.first_dep = static_cast<std::uint32_t>(program.deps.size());
      op.dep_count = static_cast<std::uint32_t>(step.deps.size());
      program.deps.insert(program.deps.end(), step.deps.begin(), step.deps.end());
      program.ops.push_back(op);
    }
  }

  /// Takes an op out. Those that waited for it wait for what it waited for, or no more.
  void drop(std::uint32_t id, bool inherit) {
    const std::vector<std::uint32_t> orphaned = steps[id].deps;
    steps.erase(steps.begin() + id);
    for (std::uint32_t i = id; i < steps.size(); ++i) {
      std::vector<std::uint32_t>& deps = steps[i].deps;
      const auto it = std::find(deps.begin(), deps.end(), id);
      if (it != deps.end()) {
        deps.erase(it);
        if (inherit) deps.insert(deps.end(), orphaned.begin(), orphaned.end());
      }
      for (std::uint32_t& dep : deps) dep -= dep > id ? 1 : 0;
    }
  }

  /// The same op once more, right after itself; who waited for it waits for both.
  void repeat(std::uint32_t id) {
    Step again = steps[id];
    again.deps.push_back(id);
    for (std::uint32_t i = id + 1; i < steps.size(); ++i) {
      std::vector<std::uint32_t>& deps = steps[i].deps;
      const bool waits = std::find(deps.begin(), deps.end(), id) != deps.end();
      for (std::uint32_t& dep : deps) dep += dep > id ? 1 : 0;
      if (waits) deps.push_back(id + 1);
    }
    steps.insert(steps.begin() + id + 1, again);
  }

  /// Swaps two neighbours, of which the second does not wait for the first.
  bool swap_with_next(std::uint32_t id) {
    if (id + 1 >= steps.size()) return false;
    std::vector<std::uint32_t>& deps = steps[id + 1].deps;
    if (std::find(deps.begin(), deps.end(), id) != deps.end()) return false;
    std::swap(steps[id], steps[id + 1]);
    for (std::uint32_t i = id + 2; i < steps.size(); ++i) {
      for (std::uint32_t& dep : steps[i].deps) {
        if (dep == id || dep == id + 1) dep = 2 * id + 1 - dep;
      }
    }
    return true;
  }
};

/// Works the dependencies of a program out anew, as ProgramBuilder would have for these ops.
inline bool rebuild_dependencies(schedule::Program& program) {
  using schedule::OpKind;
  schedule::ProgramBuilder builder(program.rank);
  for (const schedule::IndexSet& set : program.sets) builder.set(set);
  builder.scratch(program.scratch_units);
  for (const schedule::Op& op : program.ops) {
    const bool family = op.peer == kNoRank;
    const schedule::IndexSet peers = program.sets[op.peers];
    if (op.kind == OpKind::Send && family) {
      builder.send_each(peers, op.from, op.peer_stride, op.tag);
    } else if (op.kind == OpKind::Send) {
      builder.send(op.peer, op.from, op.tag);
    } else if (op.kind == OpKind::Recv && family) {
      builder.recv_each(peers, op.to, op.peer_stride, op.tag);
    } else if (op.kind == OpKind::Recv) {
      builder.recv(op.peer, op.to, op.tag);
    } else if (program.units(op.from) != program.units(op.to)) {
      return false;
    } else if (op.kind == OpKind::Copy) {
      builder.copy(op.from, op.to);
    } else {
      builder.reduce(op.from, op.to, op.operands);
    }
  }
  program = std::move(builder).build();
  return true;
}

}  // namespace espalier::test_schedules
