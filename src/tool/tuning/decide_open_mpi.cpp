// Decisions for Open MPI's coll/tuned. What it takes without a file is not known exactly: the best
// of the usual algorithms is assumed, so gains are at least what is said.
#include <algorithm>
#include <optional>

#include "base/progress.hpp"
#include "select/chooser.hpp"
#include "select/native_model.hpp"
#include "select/rank_by_simulation.hpp"
#include "tuning/decide.hpp"

namespace espalier::tuning {

using schedule::Collective;
using select::NativeMpi;

namespace {

/// Open MPI looks up the rules of these with the caller's send arguments. They mean nothing at the
/// root of a gather in place, nor on the other ranks of a scatter, so the ranks of one call may
/// find rules of different sizes.
bool knows_size_everywhere(Operation operation) {
  return operation != Operation::Gather && operation != Operation::Scatter;
}

/// Rules of an operation whose size is not known everywhere must be the same for all sizes.
void leave_out_if_choices_differ(OperationRules& rules) {
  if (knows_size_everywhere(rules.operation)) return;
  const Candidate first = rules.rows.front().choice;
  rules.is_left_out = std::any_of(rules.rows.begin(), rules.rows.end(),
                                  [&](const SizeRule& row) { return row.choice != first; });
  if (!rules.is_left_out) return;
  for (SizeRule& row : rules.rows) {
    row.choice = {};
    row.tuned = row.native;
  }
}

/// Decides scope by scope; reduce, broadcast and gather come before what is made of them.
class OpenMpiDecisions {
 public:
  OpenMpiDecisions(const Scope& scope, const TuningRules& rules) : scope_(scope), rules_(rules) {}

  ScopeRules all(Progress& progress) {
    ScopeRules result{scope_.members, scope_.machine->size(), {}};
    for (const Operation operation : rules_.operations) {
      result.operations.push_back(operation == Operation::Gather ? gather() : decided(operation));
      progress.step();
    }
    return result;
  }

 private:
  [[nodiscard]] OperationRules decided(Operation operation) const {
    OperationRules rules{operation, {}};
    for (const std::uint64_t bytes : probed_bytes(operation)) {
      rules.rows.push_back(decide(operation, bytes));
    }
    leave_out_if_choices_differ(rules);
    return rules;
  }

  /// Rules of gathers, decided once: allgathers ask for their times.
  [[nodiscard]] const OperationRules& gather() const {
    if (!gather_) gather_ = decided(Operation::Gather);
    return *gather_;
  }

  /// @pre bytes is one of probed_bytes(Operation::Gather), which are those of allgathers
  [[nodiscard]] Time gather_time(std::uint64_t bytes) const {
    for (const SizeRule& row : gather().rows) {
      if (row.bytes == bytes) return row.tuned;
    }
    return kForever;
  }

  [[nodiscard]] Time best(Operation operation, std::uint64_t bytes) const {
    const Collective call = call_of(operation, scope_.machine->size(), bytes);
    const auto found =
        fastest(candidates_of(kOfOpenMpi, call, rules_.ordered), *scope_.times, call);
    return found ? found->time : kForever;
  }

  /// Algorithms that are made of two calls which go by the rules themselves.
  [[nodiscard]] std::optional<Timed> composed(const Candidate& candidate,
                                              std::uint64_t bytes) const {
    const Rank ranks = scope_.machine->size();
    switch (candidate.algorithm->method) {
      case Method::ReduceBroadcast:
        return Timed{candidate, best(Operation::Reduce, bytes) + best(Operation::Broadcast, bytes)};
      case Method::GatherBroadcast:
        return Timed{candidate, gather_time(bytes) + best(Operation::Broadcast, bytes * ranks)};
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] SizeRule decide(Operation operation, std::uint64_t bytes) const {
    const NativeTimes& times = *scope_.times;
    const Collective call = call_of(operation, scope_.machine->size(), bytes);
    const std::vector<Candidate> candidates = candidates_of(kOfOpenMpi, call, rules_.ordered);
    SizeRule rule;
    rule.bytes = bytes;
    rule.native = rule.tuned = assumed_native(times, call);
    rule.preloaded = preloaded_time(scope_, call);
    std::optional<Timed> found = fastest(candidates, times, call);
    for (const Candidate& candidate : candidates) {
      // Two calls one after the other cost more than their sum: the second begins when all are
      // done with the first.
      const auto made = composed(candidate, bytes);
      if (made && (!found || select::is_gain(made->time, std::min(found->time, rule.native)))) {
        found = made;
      }
    }
    // Over far links the library is flattered by what is assumed of it; on near ones a prediction
    // must gain to be worth a rule.
    const bool is_worth_it =
        found &&
        (select::is_gain(found->time, rule.native) ||
         (found->time <= rule.native && select::is_flattered(times.mpi(), times.hierarchy())));
    if (is_worth_it) {
      rule.choice = found->candidate;
      rule.tuned = found->time;
    }
    return rule;
  }

  const Scope& scope_;
  const TuningRules& rules_;
  mutable std::optional<OperationRules> gather_;
};

/// What the rules of others cost the ranks of one host, at worst for each operation.
std::vector<HostLoss> losses_on_hosts(const Scope& host, const ScopeRules& others) {
  std::vector<HostLoss> losses;
  for (const OperationRules& rules : others.operations) {
    std::optional<HostLoss> worst;
    for (const SizeRule& row : rules.rows) {
      if (row.choice.algorithm == nullptr) continue;
      const Collective call = call_of(rules.operation, host.machine->size(), row.bytes);
      const Time tuned = time_of(row.choice, *host.times, call);
      const Time native = assumed_native(*host.times, call);
      if (tuned == kForever || native == kForever || !select::is_gain(native, tuned)) continue;
      const auto ratio = [](const HostLoss& loss) {
        return static_cast<double>(loss.tuned.picoseconds) /
               static_cast<double>(std::max<std::int64_t>(loss.native.picoseconds, 1));
      };
      const HostLoss loss{rules.operation, row.bytes, native, tuned};
      if (!worst || ratio(loss) > ratio(*worst)) worst = loss;
    }
    if (worst) losses.push_back(*worst);
  }
  return losses;
}

/// One rank of each of their hosts has no rules: such communicators are small, and ranks of one
/// host would take their rules.
Tuning decide_first(const topology::Machine& machine, const TuningRules& rules, Rank ranks,
                    Progress& progress) {
  const Scope scope = scope_of_first(machine, NativeMpi::OpenMpi, ranks);
  const HostShape shape = host_shape(machine, ranks);
  Tuning tuning{NativeMpi::OpenMpi, ranks, shape.hosts, shape.ranks_of_host, {}, {}};
  tuning.scopes.push_back(OpenMpiDecisions(scope, rules).all(progress));
  return tuning;
}

}  // namespace

Time assumed_native(const NativeTimes& times, const Collective& call) {
  Time least = kForever;
  for (const Candidate& candidate : candidates_of(kOfOpenMpi, call, false)) {
    const std::string_view plan = candidate.algorithm->plan;
    for (const select::NativeRule& usual : select::kUsual) {
      // Trees of the usual rules go by the same names.
      const bool is_usual = usual.operation == call.operation &&
                            (usual.plan == plan || usual.plan == candidate.algorithm->name) &&
                            candidate.segment == 0;
      if (is_usual) least = std::min(least, time_of(candidate, times, call));
    }
  }
  return least;
}

Tuning decide_open_mpi(const topology::Machine& machine, const TuningRules& rules) {
  const std::vector<Scope> scopes = scopes_of(machine, NativeMpi::OpenMpi, machine.size());
  const HostShape shape = host_shape(machine, machine.size());
  Tuning tuning{NativeMpi::OpenMpi, machine.size(), shape.hosts, shape.ranks_of_host, {}, {}};
  const auto decided_for = [](const Scope& scope) { return scope.members != Members::OneHost; };
  const auto count = std::count_if(scopes.begin(), scopes.end(), decided_for);
  Progress progress(
      "deciding", rules.operations.size() * (static_cast<std::size_t>(count) + rules.first.size()),
      Progress::Told::ByTheClock, ProgressParts::Unequal);
  for (const Scope& scope : scopes) {
    if (decided_for(scope)) tuning.scopes.push_back(OpenMpiDecisions(scope, rules).all(progress));
  }
  for (const Rank ranks : rules.first) {
    tuning.of_first.push_back(decide_first(machine, rules, ranks, progress));
  }
  const Scope* host = scope_of(scopes, Members::OneHost);
  if (host == nullptr) return tuning;
  const auto by_size = rules_by_size(tuning);
  const auto others = by_size.find(host->machine->size());
  if (others != by_size.end()) tuning.host_losses = losses_on_hosts(*host, *others->second);
  return tuning;
}

}  // namespace espalier::tuning
