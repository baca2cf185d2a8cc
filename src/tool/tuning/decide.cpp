#include "tuning/decide.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/contract.hpp"
#include "lab/hosts.hpp"
#include "select/chooser.hpp"
#include "select/rank_by_simulation.hpp"
#include "topology/views.hpp"

namespace espalier::tuning {

using schedule::Collective;
using select::NativeMpi;

namespace {

/// Candidates predicted to take longer than this many times the best are not simulated.
constexpr std::int64_t kNear = 2;

/// Rising ranks of each host that has any.
using RanksOfHosts = std::vector<std::vector<Rank>>;

/// Those below `count`; none at all if the machine is no set of hosts.
RanksOfHosts first_of_hosts(const topology::Machine& machine, Rank count) {
  RanksOfHosts all;
  const auto hosts = lab::hosts_of(machine);
  if (!hosts) return all;
  for (const lab::LabHost& host : *hosts) {
    std::vector<Rank> ranks;
    std::copy_if(host.ranks.begin(), host.ranks.end(), std::back_inserter(ranks),
                 [count](Rank rank) { return rank < count; });
    if (!ranks.empty()) all.push_back(std::move(ranks));
  }
  return all;
}

HostShape shape_of(const RanksOfHosts& hosts) {
  if (hosts.empty()) return {};
  const std::size_t first = hosts.front().size();
  for (const std::vector<Rank>& ranks : hosts) {
    if (ranks.size() != first) return {};
  }
  return {hosts.size(), static_cast<Rank>(first)};
}

/// One rank of each host: the lowest.
std::vector<Rank> leaders_of(const RanksOfHosts& hosts) {
  std::vector<Rank> leaders;
  for (const std::vector<Rank>& ranks : hosts) leaders.push_back(ranks.front());
  std::sort(leaders.begin(), leaders.end());
  return leaders;
}

Scope make_scope(Members members, topology::Machine machine, NativeMpi mpi) {
  auto owner = std::make_unique<const topology::Machine>(std::move(machine));
  auto times = std::make_unique<const NativeTimes>(*owner, mpi);
  return {members, std::move(owner), std::move(times)};
}

}  // namespace

std::string_view name_of(Members members) {
  switch (members) {
    case Members::All:
      return "all ranks";
    case Members::OneOfEachHost:
      return "one rank of each host";
    case Members::OneHost:
      return "ranks of one host";
  }
  return "";
}

const OperationRules* rules_in(const ScopeRules& scope, Operation operation) {
  for (const OperationRules& rules : scope.operations) {
    if (rules.operation == operation) return &rules;
  }
  return nullptr;
}

std::map<Rank, const ScopeRules*> rules_by_size(const Tuning& tuning) {
  std::map<Rank, const ScopeRules*> found;
  for (const Tuning& first : tuning.of_first) {
    for (const ScopeRules& scope : first.scopes) {
      if (scope.members == Members::All) found.emplace(scope.ranks, &scope);
    }
  }
  for (const ScopeRules& scope : tuning.scopes) found.emplace(scope.ranks, &scope);
  return found;
}

HostShape host_shape(const topology::Machine& machine, Rank ranks) {
  return shape_of(first_of_hosts(machine, ranks));
}

Scope scope_of_first(const topology::Machine& machine, NativeMpi mpi, Rank ranks) {
  expects(ranks >= 2 && ranks <= machine.size(), "scope_of_first: not so many ranks");
  if (ranks == machine.size()) return make_scope(Members::All, machine, mpi);
  std::vector<Rank> first(ranks);
  std::iota(first.begin(), first.end(), Rank{0});
  return make_scope(Members::All, topology::restrict_machine(machine, first), mpi);
}

std::vector<Scope> scopes_of(const topology::Machine& machine, NativeMpi mpi, Rank ranks) {
  std::vector<Scope> scopes;
  scopes.push_back(scope_of_first(machine, mpi, ranks));
  const RanksOfHosts hosts = first_of_hosts(machine, ranks);
  const HostShape shape = shape_of(hosts);
  if (shape.hosts < 2 || shape.ranks_of_host < 2) return scopes;
  scopes.push_back(make_scope(Members::OneOfEachHost,
                              topology::restrict_machine(machine, leaders_of(hosts)), mpi));
  scopes.push_back(
      make_scope(Members::OneHost, topology::restrict_machine(machine, hosts.front()), mpi));
  return scopes;
}

const Scope* scope_of(const std::vector<Scope>& scopes, Members members) {
  for (const Scope& scope : scopes) {
    if (scope.members == members) return &scope;
  }
  return nullptr;
}

Time time_of(const Candidate& candidate, const NativeTimes& times, const Collective& call) {
  const auto predicted = times.predicted(candidate, call);
  if (!predicted) return kForever;
  return call.size <= kSimulatedUpTo ? times.simulated(candidate, call) : *predicted;
}

std::optional<Timed> fastest(const std::vector<Candidate>& candidates, const NativeTimes& times,
                             const Collective& call) {
  std::vector<Timed> all;
  for (const Candidate& candidate : candidates) {
    if (const auto time = times.predicted(candidate, call)) all.push_back({candidate, *time});
  }
  if (all.empty()) return std::nullopt;
  std::stable_sort(all.begin(), all.end(),
                   [](const Timed& a, const Timed& b) { return a.time < b.time; });
  if (call.size > kSimulatedUpTo) return all.front();
  const Time limit = kNear * all.front().time;
  std::optional<Timed> best;
  for (const Timed& one : all) {
    if (one.time > limit) break;
    const Time time = times.simulated(one.candidate, call);
    if (!best || time < best->time) best = Timed{one.candidate, time};
  }
  return best;
}

std::vector<std::uint64_t> probed_bytes(Operation operation) {
  if (operation == Operation::Barrier) return {0};
  std::vector<std::uint64_t> all;
  const bool has_blocks = operation == Operation::Allgather || operation == Operation::Alltoall ||
                          operation == Operation::Gather || operation == Operation::Scatter;
  const std::uint64_t most = has_blocks ? 131072 : 2097152;
  for (std::uint64_t bytes = 8; bytes <= most; bytes *= 4) all.push_back(bytes);
  return all;
}

std::uint64_t first_bytes(const OperationRules& rules, std::size_t row) {
  return row == 0 ? 0 : 2 * rules.rows[row - 1].bytes;  // sizes rise by factors of four
}

std::optional<Time> preloaded_time(const Scope& scope, const Collective& call) {
  const collective::Hierarchy& hierarchy = scope.times->hierarchy();
  select::Chooser chooser(hierarchy, select::rules_for(scope.times->mpi()));
  const select::PlanChoice choice = chooser.choose(call);
  if (!choice.planned()) return std::nullopt;
  if (call.size > kSimulatedUpTo) return choice.predicted;
  return select::simulated_time(*choice.plan, hierarchy, call, {});
}

}  // namespace espalier::tuning
