#include "select/schedule_times.hpp"

#include "base/progress.hpp"
#include "sim/simulate_within.hpp"

namespace espalier::select {

std::uint64_t messages_in(const schedule::Program& program) {
  std::uint64_t messages = 0;
  for (const schedule::Op& op : program.ops) {
    if (op.kind != schedule::OpKind::Send) continue;
    messages += op.peer != kNoRank ? 1 : program.sets[op.peers].size();
  }
  return messages;
}

std::uint64_t messages_in(const schedule::Schedule& schedule) {
  std::uint64_t messages = 0;
  for (const schedule::Program& program : schedule.programs) messages += messages_in(program);
  return messages;
}

std::optional<Time> ScheduleTimes::of(const schedule::Schedule& schedule) {
  if (!budget_.take_messages(messages_in(schedule))) return std::nullopt;
  sim::Budget part = budget_.part(most_of_one_);
  const auto result = sim::simulate_within(part, schedule, machine_, options_);
  budget_.give_back(part);
  note_progress(++done_);
  if (!result) return std::nullopt;
  return result->finish;
}

}  // namespace espalier::select
