#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/json.hpp"
#include "tuning/mpich.hpp"

namespace espalier::tuning {
namespace {

/// Rules by the number of ranks.
using BySize = std::map<Rank, Json>;

/// Tuned rules for communicators of just these sizes, `old` for all others.
Json for_sizes(const BySize& tuned, const Json& old) {
  if (tuned.empty()) return old;
  Json result = Json::object();
  Rank next = 0;  // the first size that no rules were written for
  for (const auto& [ranks, rules] : tuned) {
    if (next < ranks) result[fmt::format("comm_size<{}", ranks)] = old;
    result[fmt::format("comm_size<={}", ranks)] = rules;
    next = ranks + 1;
  }
  result["comm_size=any"] = old;
  return result;
}

/// All ranks, then the first ones by number.
std::vector<const Tuning*> jobs_of(const Tuning& tuning) {
  std::vector<const Tuning*> jobs{&tuning};
  for (const Tuning& first : tuning.of_first) jobs.push_back(&first);
  return jobs;
}

/// Whether calls can go among the leaders of hosts.
bool has_leaders(const Tuning& job) { return job.scopes.size() > 1; }

/// Parameters of trees; MPICH refuses none that is missing, and takes what was in memory then.
Json parameters(const NativeAlgorithm& algorithm, const Candidate& choice) {
  Json result = Json::object();
  if (algorithm.helper.empty()) {
    if (choice.fan != 0) result[fmt::format("k={}", choice.fan)] = Json::object();
    return result;
  }
  result[fmt::format("k={}", choice.fan)] = Json::object();
  if (algorithm.fan_is_ranks) return result;
  result[fmt::format("tree_type={}", algorithm.tree_type)] = Json::object();
  result[fmt::format("chunk_size={}", choice.segment)] = Json::object();
  if (schedule::reduces(algorithm.operation)) result["buffer_per_child=0"] = Json::object();
  return result;
}

Json leaf(std::string_view name, Json with) {
  Json result = Json::object();
  result[fmt::format("algorithm={}", name)] = std::move(with);
  return result;
}

/// The blocking call's rule. Algorithms that scatter reductions want an operator of MPI's own and
/// as many elements as ranks; they do not look for themselves.
Json blocking_leaf(const Candidate& choice, const Json& old) {
  if (choice.algorithm == nullptr) return old;
  const NativeAlgorithm& algorithm = *choice.algorithm;
  Json result = leaf(algorithm.name,
                     algorithm.helper.empty() ? parameters(algorithm, choice) : Json::object());
  if (algorithm.name.find("reduce_scatter") == std::string_view::npos) return result;
  return {{"is_op_built_in=yes", {{"count<pow2", old}, {"count=any", result}}},
          {"is_op_built_in=no", old}};
}

/// The rule of the non-blocking call that a blocking one is turned into.
Json nonblocking_leaf(const Candidate& choice, const Json& old) {
  if (choice.algorithm == nullptr || choice.algorithm->helper.empty()) return old;
  return leaf(choice.algorithm->helper, parameters(*choice.algorithm, choice));
}

using RuleOfRow = std::function<Json(const SizeRule&)>;

/// Rules by size, with what MPICH can ask of this operation besides.
Json ladder(const OperationRules& rules, Rank ranks, const Json& old, const RuleOfRow& rule_of) {
  if (rules.operation == Operation::Barrier) return rule_of(rules.rows.front());
  const bool has_blocks = rules.operation == Operation::Allgather;
  Json steps = Json::object();
  for (std::size_t row = 0; row < rules.rows.size(); ++row) {
    const bool is_last = row + 1 == rules.rows.size();
    const std::string_view key = has_blocks ? "total_msg_size" : "avg_msg_size";
    const std::uint64_t next = is_last ? 0 : first_bytes(rules, row + 1) * (has_blocks ? ranks : 1);
    steps[is_last ? fmt::format("{}=any", key) : fmt::format("{}<{}", key, next)] =
        rule_of(rules.rows[row]);
  }
  if (schedule::reduces(rules.operation)) {
    return {{"is_commutative=yes", steps}, {"is_commutative=no", old}};
  }
  if (rules.operation == Operation::Alltoall) {
    return {{"is_sendbuf_inplace=yes", old}, {"is_sendbuf_inplace=no", steps}};
  }
  return steps;
}

/// Leaders of hosts by their own rules, other communicators of a job's size by those of all its
/// ranks. Jobs whose hosts are the same have the same rules of leaders.
using LeafOf = Json (*)(const Candidate&, const Json&);
Json by_members(const Tuning& tuning, Operation operation, const Json& old, LeafOf leaf_of) {
  BySize all, leaders, alone;
  for (const Tuning* job : jobs_of(tuning)) {
    for (const ScopeRules& scope : job->scopes) {
      const OperationRules* rules = rules_in(scope, operation);
      if (rules == nullptr) continue;
      const bool is_all = scope.members == Members::All;
      const RuleOfRow rule_of = [&](const SizeRule& row) {
        return is_all && row.by_host ? old : leaf_of(row.choice, old);
      };
      const Json steps = ladder(*rules, scope.ranks, old, rule_of);
      (is_all ? all : leaders).emplace(scope.ranks, steps);
      if (is_all && !has_leaders(*job)) alone.emplace(scope.ranks, steps);
    }
  }
  if (all.empty()) return old;
  Json result = Json::object();
  result["comm_hierarchy=parent"] = for_sizes(all, old);
  if (!leaders.empty()) result["comm_hierarchy=node_roots"] = for_sizes(leaders, old);
  // Jobs with one rank a host have neither leaders nor parents; on one host its own communicator
  // makes the call.
  result["comm_hierarchy=any"] = for_sizes(alone, old);
  return result;
}

}  // namespace

std::string mpich_collectives(const Tuning& tuning, const MpichRules& library) {
  Json document = Json::parse(library.collectives);
  for (const OperationRules& rules : tuning.scopes.front().operations) {
    const std::string name(mpich_name(rules.operation));
    for (const bool blocks : {true, false}) {
      Json* at = document.find(fmt::format("collective={}{}", blocks ? "" : "i", name));
      if (at == nullptr || !at->contains("comm_type=intra")) continue;
      Json& intra = (*at)["comm_type=intra"];
      intra = by_members(tuning, rules.operation, Json(intra),
                         blocks ? blocking_leaf : nonblocking_leaf);
    }
  }
  return document.dump(1) + "\n";
}

std::string mpich_compositions(const Tuning& tuning, const MpichRules& library) {
  // Where no leaders of hosts were tuned, the library's own way stays: it may go by hosts.
  std::vector<const Tuning*> jobs = jobs_of(tuning);
  std::erase_if(jobs, [](const Tuning* job) { return !has_leaders(*job); });
  if (library.compositions.empty() || jobs.empty()) return "";
  Json document = Json::parse(library.compositions);
  for (const OperationRules& named : tuning.scopes.front().operations) {
    const Operation operation = named.operation;
    Json* at = document.find(fmt::format("collective={}", mpich_name(operation)));
    if (at == nullptr || !at->contains("comm_type=intra") ||
        mpich_composition(operation, true).empty()) {
      continue;
    }
    Json& intra = (*at)["comm_type=intra"];
    const Json old = intra;
    const RuleOfRow rule_of = [&](const SizeRule& row) {
      Json one = Json::object();
      one["composition=" + mpich_composition(operation, row.by_host)] = Json::object();
      return one;
    };
    BySize sizes;
    for (const Tuning* job : jobs) {
      const OperationRules* rules = rules_in(job->scopes.front(), operation);
      if (rules != nullptr) sizes.emplace(job->ranks, ladder(*rules, job->ranks, old, rule_of));
    }
    intra = {{"comm_hierarchy=parent", for_sizes(sizes, old)}, {"comm_hierarchy=any", old}};
  }
  return document.dump(1) + "\n";
}

}  // namespace espalier::tuning
