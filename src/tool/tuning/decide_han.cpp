// Which calls Open MPI's HAN should take: its simple forms call coll/tuned inside each host and
// among one rank of each host, one after the other.
#include "select/chooser.hpp"
#include "tuning/decide.hpp"

namespace espalier::tuning {

using schedule::Collective;

namespace {

class HanDecisions {
 public:
  HanDecisions(const Scope& host, const ScopeRules& leaders, Rank ranks_of_host)
      : host_(host), leaders_(leaders), ranks_of_host_(ranks_of_host) {}

  /// Goes by hosts if that is a gain.
  void decide(Operation operation, SizeRule& rule) const {
    const SizeRule* const among = among_hosts(operation, rule.bytes);
    if (among == nullptr) return;
    const Time inside = inside_hosts(operation, rule.bytes);
    if (inside == kForever || among->tuned == kForever) return;
    const Time both = inside + among->tuned;
    if (!select::is_gain(both, rule.tuned)) return;
    rule.by_host = true;
    rule.choice = among->choice;
    rule.tuned = both;
  }

 private:
  /// What one rank of each host has to do with the blocks of its host; nullptr where no size that
  /// was decided is as long.
  [[nodiscard]] const SizeRule* among_hosts(Operation operation, std::uint64_t bytes) const {
    const bool has_blocks = operation == Operation::Allgather || operation == Operation::Gather ||
                            operation == Operation::Scatter;
    const std::uint64_t wanted = has_blocks ? bytes * ranks_of_host_ : bytes;
    for (const OperationRules& rules : leaders_.operations) {
      if (rules.operation != operation) continue;
      for (const SizeRule& row : rules.rows) {
        if (row.bytes >= wanted) return &row;
      }
    }
    return nullptr;
  }

  [[nodiscard]] Time time(Operation operation, std::uint64_t bytes) const {
    return assumed_open_mpi(*host_.times, call_of(operation, ranks_of_host_, bytes));
  }

  [[nodiscard]] Time inside_hosts(Operation operation, std::uint64_t bytes) const {
    switch (operation) {
      case Operation::Allreduce:
        return time(Operation::Reduce, bytes) + time(Operation::Broadcast, bytes);
      case Operation::Barrier:
        return time(Operation::Barrier, 0) + time(Operation::Barrier, 0);
      case Operation::Allgather: {
        const std::uint64_t all = bytes * ranks_of_host_ * leaders_.ranks;
        return time(Operation::Gather, bytes) + time(Operation::Broadcast, all);
      }
      case Operation::Alltoall:
        return kForever;  // HAN of Open MPI 4.1 has none
      default:
        return time(operation, bytes);
    }
  }

  const Scope& host_;
  const ScopeRules& leaders_;
  Rank ranks_of_host_;
};

}  // namespace

Tuning decide_han(const topology::Machine& machine, Tuning tuned) {
  const std::vector<Scope> scopes = scopes_of(machine, tuned.mpi);
  const Scope* const host = scope_of(scopes, Members::OneHost);
  if (host == nullptr || tuned.scopes.size() < 2) return tuned;
  const ScopeRules leaders = tuned.scopes[1];
  const HanDecisions decisions(*host, leaders, tuned.ranks_of_host);
  for (OperationRules& rules : tuned.scopes.front().operations) {
    for (SizeRule& rule : rules.rows) decisions.decide(rules.operation, rule);
  }
  return tuned;
}

}  // namespace espalier::tuning
