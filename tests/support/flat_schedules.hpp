#pragma once

#include <map>
#include <string>
#include <vector>

#include "collective/algorithm.hpp"
#include "collective/broadcast.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"
#include "schedule/schedule.hpp"
#include "topology/readers.hpp"

namespace espalier::testing_support {

// Schedules of the classical algorithms on a machine without levels.

/// A machine of so many ranks on one level.
inline const collective::Hierarchy& one_level(Rank size) {
  struct Made {
    explicit Made(Rank ranks)
        : machine(*topology::parse_synthetic("proc:" + std::to_string(ranks))),
          hierarchy(machine) {}
    topology::Machine machine;
    collective::Hierarchy hierarchy;
  };
  static std::map<Rank, Made> made;
  return made.try_emplace(size, size).first->second.hierarchy;
}

inline std::vector<const collective::Algorithm*> flat_algorithms(schedule::Operation operation) {
  std::vector<const collective::Algorithm*> found;
  for (const collective::Algorithm* one : collective::algorithms()) {
    if (one->traits.by_number && one->propose == nullptr && one->operations.contains(operation)) {
      found.push_back(one);
    }
  }
  return found;
}

inline bool applicable(const collective::Algorithm& algorithm, const schedule::Collective& call) {
  return collective::serves(algorithm, one_level(call.size), call, collective::RankOrder::Rising);
}

inline schedule::Schedule schedule_of_parts(const schedule::Collective& call, std::string name,
                                            const collective::PartOf& part_of) {
  schedule::Schedule schedule{call, std::move(name), {}};
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(part_of(r));
  return schedule;
}

inline schedule::Schedule flat_schedule(const collective::Algorithm& algorithm,
                                        const schedule::Collective& call) {
  return schedule_of_parts(
      call, std::string(algorithm.name),
      algorithm.build(one_level(call.size), call, collective::RankOrder::Rising));
}

/// Of a broadcast along the double tree, a scan or an exscan along a chain: in segments of so many
/// units. @pre call is one of these, regular
inline schedule::Schedule pipeline_schedule(const schedule::Collective& call,
                                            std::uint64_t segment) {
  return schedule_of_parts(call, "pipeline", [&](Rank rank) {
    schedule::ProgramBuilder program(rank);
    const auto all = collective::all_participants(call.size, rank);
    const auto in = schedule::slice(schedule::Buffer::In, 0, call.count);
    const auto out = schedule::slice(schedule::Buffer::Out, 0, call.count);
    if (call.operation == schedule::Operation::Broadcast) {
      collective::double_tree_broadcast(program, all, call.root, out, segment);
    } else if (call.operation == schedule::Operation::Exscan) {
      collective::linear_exscan(program, all, in, out, segment);
    } else {
      collective::copy_unless_empty(program, in, out);
      collective::linear_scan(program, all, out, segment);
    }
    return std::move(program).build();
  });
}

inline constexpr schedule::Operation kPipelined[] = {
    schedule::Operation::Broadcast, schedule::Operation::Scan, schedule::Operation::Exscan};

}  // namespace espalier::testing_support
