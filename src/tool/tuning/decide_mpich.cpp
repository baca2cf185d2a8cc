#include <algorithm>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "select/chooser.hpp"
#include "tuning/mpich.hpp"

namespace espalier::tuning {

using schedule::Collective;
using select::NativeMpi;

namespace {

const NativeAlgorithm* mpich_algorithm(Operation operation, std::string_view name) {
  for (const NativeAlgorithm& algorithm : kOfMpich) {
    if (algorithm.operation == operation && algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

std::string_view hierarchy_of(Members members, bool has_hosts) {
  switch (members) {
    case Members::All:
      return has_hosts ? "parent" : "flat";
    case Members::OneOfEachHost:
      return "node_roots";
    case Members::OneHost:
      return "node";
  }
  return "flat";
}

class MpichDecisions {
 public:
  MpichDecisions(const std::vector<Scope>& scopes, const HostShape& shape,
                 const MpichRules& library, Progress& progress)
      : progress_(progress),
        scopes_(scopes),
        shape_(shape),
        library_(library),
        collectives_(Json::parse(library.collectives)),
        compositions_(library.compositions.empty() ? Json::object()
                                                   : Json::parse(library.compositions)) {}

  [[nodiscard]] ScopeRules leaders(const TuningRules& rules) const {
    return decided(Members::OneOfEachHost, rules, [this](Operation operation, std::uint64_t bytes) {
      return best_in(Members::OneOfEachHost, operation, bytes);
    });
  }

  [[nodiscard]] ScopeRules all(const TuningRules& rules) const {
    return decided(Members::All, rules, [this](Operation operation, std::uint64_t bytes) {
      return best_of_all(operation, bytes);
    });
  }

 private:
  template <typename Decide>
  ScopeRules decided(Members members, const TuningRules& rules, Decide decide) const {
    ScopeRules result{members, scope_of(scopes_, members)->machine->size(), {}};
    for (const Operation operation : rules.operations) {
      OperationRules one{operation, {}};
      for (const std::uint64_t bytes : probed_bytes(operation)) {
        one.rows.push_back(decide(operation, bytes));
      }
      progress_.step();
      result.operations.push_back(std::move(one));
    }
    return result;
  }

  [[nodiscard]] CallFacts facts_of(Members members, const Collective& call) const {
    const bool has_hosts = scopes_.size() > 1;
    const Rank of_host = members == Members::OneOfEachHost ? 1 : shape_.ranks_of_host;
    return {call.size, of_host, hierarchy_of(members, has_hosts), call.count * call.element.value,
            call.count};
  }

  /// What the library's own rules take in such a communicator; kForever if no plan is like it.
  [[nodiscard]] Time native_in(Members members, Operation operation, std::uint64_t bytes) const {
    const Scope& scope = *scope_of(scopes_, members);
    const Collective call = call_of(operation, scope.machine->size(), bytes);
    const Json* rules = collectives_.find("collective=" + std::string(mpich_name(operation)));
    if (rules == nullptr) return kForever;
    const auto name = selected(*rules, facts_of(members, call));
    const NativeAlgorithm* algorithm = name ? mpich_algorithm(operation, *name) : nullptr;
    if (algorithm == nullptr) return kForever;
    return time_of({algorithm, algorithm->fans[0], 0}, *scope.times, call);
  }

  [[nodiscard]] SizeRule best_in(Members members, Operation operation, std::uint64_t bytes) const {
    const Scope& scope = *scope_of(scopes_, members);
    const Collective call = call_of(operation, scope.machine->size(), bytes);
    std::vector<Candidate> candidates = candidates_of(kOfMpich, call, false);
    std::erase_if(candidates, [this](const Candidate& candidate) {
      const NativeAlgorithm& algorithm = *candidate.algorithm;
      return !library_.algorithms.contains(algorithm.name) ||
             (!algorithm.helper.empty() && !library_.algorithms.contains(algorithm.helper));
    });
    SizeRule rule;
    rule.bytes = bytes;
    rule.native = rule.tuned = native_in(members, operation, bytes);
    const auto found = fastest(candidates, *scope.times, call);
    // What the library does now cannot be beaten where it is not known.
    if (found && rule.native != kForever && select::is_gain(found->time, rule.native)) {
      rule.choice = found->candidate;
      rule.tuned = found->time;
    }
    return rule;
  }

  /// The part of a call that stays inside hosts, when leaders speak for them.
  [[nodiscard]] Time inside_hosts(Operation operation, std::uint64_t bytes) const {
    const auto time = [this](Operation of, std::uint64_t size) {
      return native_in(Members::OneHost, of, size);
    };
    switch (operation) {
      case Operation::Allreduce:
        return time(Operation::Reduce, bytes) + time(Operation::Broadcast, bytes);
      case Operation::Barrier:
        return time(Operation::Barrier, 0) + time(Operation::Broadcast, 1);
      default:
        return time(operation, bytes);
    }
  }

  [[nodiscard]] bool goes_by_hosts_today(Operation operation, std::uint64_t bytes) const {
    const Json* rules = compositions_.find("collective=" + std::string(mpich_name(operation)));
    if (rules == nullptr) return false;
    const Collective call = call_of(operation, scopes_.front().machine->size(), bytes);
    const auto name = selected(*rules, facts_of(Members::All, call));
    return name && *name != mpich_composition(operation, false);
  }

  [[nodiscard]] SizeRule best_of_all(Operation operation, std::uint64_t bytes) const {
    SizeRule flat = best_in(Members::All, operation, bytes);
    const Collective call = call_of(operation, scopes_.front().machine->size(), bytes);
    flat.preloaded = preloaded_time(scopes_.front(), call);
    if (scopes_.size() < 2 || compositions_.empty() || mpich_composition(operation, true).empty()) {
      return flat;
    }
    const SizeRule leaders = best_in(Members::OneOfEachHost, operation, bytes);
    const Time inside = inside_hosts(operation, bytes);
    const Time native =
        goes_by_hosts_today(operation, bytes) ? leaders.native + inside : flat.native;
    SizeRule best = flat;
    if (native == kForever) {
      best.choice = {};
      best.native = best.tuned = kForever;
      return best;
    }
    if (leaders.tuned + inside < flat.tuned) {
      best.choice = leaders.choice;
      best.by_host = true;
      best.tuned = leaders.tuned + inside;
    }
    best.native = native;
    return best;
  }

  Progress& progress_;
  const std::vector<Scope>& scopes_;
  HostShape shape_;
  const MpichRules& library_;
  Json collectives_, compositions_;
};

/// The first ranks of a machine, as a job of their own.
struct Job {
  Rank ranks = 0;
  HostShape shape;
  std::vector<Scope> scopes;
  [[nodiscard]] bool has_leaders() const { return scopes.size() > 1; }
};

Job job_of_first(const topology::Machine& machine, Rank ranks) {
  return {ranks, host_shape(machine, ranks), scopes_of(machine, NativeMpi::Mpich, ranks)};
}

Tuning decide_job(const Job& job, const TuningRules& rules, const MpichRules& library,
                  Progress& progress) {
  const MpichDecisions decisions(job.scopes, job.shape, library, progress);
  Tuning tuning{NativeMpi::Mpich, job.ranks, job.shape.hosts, job.shape.ranks_of_host, {}, {}};
  tuning.scopes.push_back(decisions.all(rules));
  if (job.has_leaders()) tuning.scopes.push_back(decisions.leaders(rules));
  return tuning;
}

}  // namespace

std::string_view mpich_name(Operation operation) {
  switch (operation) {
    case Operation::Broadcast:
      return "bcast";
    case Operation::Reduce:
      return "reduce";
    case Operation::Allreduce:
      return "allreduce";
    case Operation::Barrier:
      return "barrier";
    case Operation::Allgather:
      return "allgather";
    case Operation::Alltoall:
      return "alltoall";
    default:
      return "";
  }
}

std::string mpich_composition(Operation operation, bool by_host) {
  switch (operation) {
    case Operation::Broadcast:
      return by_host ? "MPIDI_Bcast_intra_composition_alpha"
                     : "MPIDI_Bcast_intra_composition_gamma";
    case Operation::Reduce:
      return by_host ? "MPIDI_Reduce_intra_composition_alpha"
                     : "MPIDI_Reduce_intra_composition_gamma";
    case Operation::Allreduce:
      return by_host ? "MPIDI_Allreduce_intra_composition_alpha"
                     : "MPIDI_Allreduce_intra_composition_beta";
    case Operation::Barrier:
      return by_host ? "MPIDI_Barrier_intra_composition_alpha"
                     : "MPIDI_Barrier_intra_composition_beta";
    default:
      return "";
  }
}

Tuning decide_mpich(const topology::Machine& machine, const TuningRules& rules,
                    const MpichRules& library) {
  std::vector<Job> jobs;
  jobs.push_back(job_of_first(machine, machine.size()));
  for (const Rank ranks : rules.first) jobs.push_back(job_of_first(machine, ranks));
  std::size_t scopes = 0;
  for (const Job& job : jobs) scopes += job.has_leaders() ? 2 : 1;
  Progress progress("deciding", rules.operations.size() * scopes, Progress::Told::ByTheClock,
                    ProgressParts::Unequal);
  Tuning tuning = decide_job(jobs.front(), rules, library, progress);
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    tuning.of_first.push_back(decide_job(jobs[i], rules, library, progress));
  }
  return tuning;
}

}  // namespace espalier::tuning
