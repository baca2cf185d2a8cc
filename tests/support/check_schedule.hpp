#pragma once

#include <string>

#include "support/run_schedule.hpp"

namespace espalier::testing_support {

/// What should stand in unit i of a rank's Out, by the table of schedule/collective.hpp: inputs
/// `index` of the ranks first .. last, combined if there is more than one.
struct Due {
  Rank first = 0;
  Rank last = 0;
  std::uint64_t index = 0;
};

inline Due due_at(const schedule::Collective& call, Rank rank, std::uint64_t i) {
  using schedule::Operation;
  const std::uint64_t block = call.block();
  const auto owner = static_cast<Rank>(block == 0 ? 0 : i / block);
  switch (call.operation) {
    case Operation::Broadcast:
      return {call.root, call.root, i};
    case Operation::Gather:
    case Operation::Allgather:
      return {owner, owner, i % block};
    case Operation::Scatter:
      return {call.root, call.root, rank * block + i};
    case Operation::Alltoall:
      return {owner, owner, rank * block + i % block};
    case Operation::ReduceScatter:
      return {0, call.size - 1, rank * block + i};
    case Operation::Scan:
      return {0, rank, i};
    case Operation::Exscan:
      return {0, rank - 1, i};
    default:
      return {0, call.size - 1, i};
  }
}

inline bool is_as_due(const Symbol& found, const Due& due, bool commutative) {
  Symbol whole = input(due.first, due.index);
  for (Rank r = due.first; r < due.last; ++r) {
    whole = combined(whole, input(r + 1, due.index));
  }
  return found.count == whole.count && found.multiset == whole.multiset &&
         (commutative || found.sequence == whole.sequence);
}

/// Runs a schedule and looks at every output of every rank. Exscan gives rank 0 nothing.
/// @return what is wrong, or nothing
inline std::string check_schedule(const Schedule& schedule, std::uint64_t seed) {
  const schedule::Collective& call = schedule.call;
  ScheduleRun run(schedule, seed);
  std::string complaint = run.run();
  if (!complaint.empty()) return complaint;
  for (Rank r = 0; r < call.size; ++r) {
    const auto& out = run.units(r, Buffer::Out);
    for (std::uint64_t i = 0; i < out.size(); ++i) {
      const std::string where = "rank " + std::to_string(r) + ", Out[" + std::to_string(i) + "]: ";
      if (call.operation == schedule::Operation::Exscan && r == 0) {
        if (out[i].count != 0) return where + "is written";
        continue;
      }
      if (out[i].count == 0) return where + "is not written";
      if (!is_as_due(out[i], due_at(call, r, i), call.commutative)) {
        return where + "is wrong";
      }
      if (call.operation == schedule::Operation::Allreduce &&
          out[i].tree != run.units(0, Buffer::Out)[i].tree) {
        return where + "has not the same bits as on rank 0";
      }
    }
    for (Rank s = 0; call.operation == schedule::Operation::Barrier && s < call.size; ++s) {
      if (!run.heard_of(r)[s]) {
        return "rank " + std::to_string(r) + ": does not wait for rank " + std::to_string(s);
      }
    }
  }
  return {};
}

}  // namespace espalier::testing_support
