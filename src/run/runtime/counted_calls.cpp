#include "runtime/counted_calls.hpp"

#include "select/counted_runs.hpp"

namespace espalier::runtime {

void CountedCalls::note(const SharedCall& call, const topology::Machine& machine) {
  auto found = known_.find(call.counts);
  if (found == known_.end()) {
    if (known_.size() >= kMost) known_.clear();
    const auto due_from = select::planned_from(machine, collective_of(call, machine.size()));
    found = known_.emplace(call.counts, Calls{0, due_from}).first;
  }
  ++found->second.so_far;
}

bool CountedCalls::are_due(const SharedCall& call) const {
  const auto found = known_.find(call.counts);
  if (found == known_.end() || !found->second.due_from) return false;
  return found->second.so_far >= *found->second.due_from;
}

}  // namespace espalier::runtime
