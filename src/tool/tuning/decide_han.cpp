#include <algorithm>
#include <optional>

#include "select/chooser.hpp"
#include "tuning/han.hpp"

namespace espalier::tuning {

using schedule::Collective;

namespace {

/// Communicators of one shape, and the rules of coll/tuned that they take.
class UnderRules {
 public:
  /// @param rules nullptr if communicators of such a size have none
  UnderRules(const Scope& scope, const ScopeRules* rules) : scope_(scope), rules_(rules) {}

  [[nodiscard]] const SizeRule* row_of(Operation operation, std::uint64_t bytes) const {
    const OperationRules* rules = rules_ == nullptr ? nullptr : rules_in(*rules_, operation);
    if (rules == nullptr) return nullptr;
    for (const SizeRule& row : rules->rows) {
      if (row.bytes == bytes) return &row;
    }
    return nullptr;
  }

  /// kForever if it is not known.
  [[nodiscard]] Time time(Operation operation, std::uint64_t bytes) const {
    const Collective call = call_of(operation, scope_.machine->size(), bytes);
    const SizeRule* row = row_of(operation, bytes);
    if (row == nullptr || row->choice.algorithm == nullptr) {
      return assumed_native(*scope_.times, call);
    }
    if (rules_->members == scope_.members) return row->tuned;
    return time_of(row->choice, *scope_.times, call);
  }

 private:
  const Scope& scope_;
  const ScopeRules* rules_;
};

/// A time that is not known makes the sum unknown.
Time sum_of(std::initializer_list<Time> times) {
  Time sum;
  for (const Time time : times) {
    if (time == kForever) return kForever;
    sum = sum + time;
  }
  return sum;
}

/// The parts of a call that goes by hosts, as Open MPI 4.1 and 5 make them.
Time by_hosts(Operation operation, std::uint64_t bytes, const UnderRules& leaders,
              const UnderRules& host) {
  switch (operation) {
    case Operation::Broadcast:
    case Operation::Reduce:
      return sum_of({leaders.time(operation, bytes), host.time(operation, bytes)});
    case Operation::Allreduce:
      return sum_of({host.time(Operation::Reduce, bytes), leaders.time(Operation::Allreduce, bytes),
                     host.time(Operation::Broadcast, bytes)});
    case Operation::Barrier:
      return sum_of({host.time(Operation::Barrier, 0), leaders.time(Operation::Barrier, 0),
                     host.time(Operation::Barrier, 0)});
    default:
      return kForever;
  }
}

const ScopeRules* of_size(const Tuning& tuning, Rank ranks) {
  const auto by_size = rules_by_size(tuning);
  const auto found = by_size.find(ranks);
  return found == by_size.end() ? nullptr : found->second;
}

}  // namespace

Tuning decide_han(const topology::Machine& machine, const Tuning& flat) {
  Tuning tuning = flat;
  const std::vector<Scope> scopes = scopes_of(machine, flat.mpi, machine.size());
  const Scope* leader_scope = scope_of(scopes, Members::OneOfEachHost);
  const Scope* host_scope = scope_of(scopes, Members::OneHost);
  if (leader_scope == nullptr || host_scope == nullptr) return tuning;
  const UnderRules leaders(*leader_scope, of_size(flat, leader_scope->machine->size()));
  const UnderRules host(*host_scope, of_size(flat, host_scope->machine->size()));
  for (OperationRules& rules : tuning.scopes.front().operations) {
    for (SizeRule& row : rules.rows) {
      const Time time = by_hosts(rules.operation, row.bytes, leaders, host);
      // The second part begins on each rank when it is done with the first: that costs a little.
      if (time == kForever || !select::is_gain(time, row.tuned)) continue;
      const SizeRule* of_leaders = leaders.row_of(rules.operation, row.bytes);
      row.choice = of_leaders == nullptr ? Candidate{} : of_leaders->choice;
      row.by_host = true;
      row.tuned = time;
    }
  }
  return tuning;
}

}  // namespace espalier::tuning
