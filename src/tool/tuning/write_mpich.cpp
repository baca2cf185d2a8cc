#include <fmt/format.h>

#include <functional>

#include "base/json.hpp"
#include "tuning/mpich.hpp"

namespace espalier::tuning {
namespace {

/// `tuned` for communicators of just this size, `old` for all others.
Json for_size(Rank ranks, const Json& tuned, const Json& old) {
  return {{fmt::format("comm_size<{}", ranks), old},
          {fmt::format("comm_size<={}", ranks), tuned},
          {"comm_size=any", old}};
}

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

/// Leaders of hosts by their own rules, other communicators of the job's size by those of all
/// ranks.
using LeafOf = Json (*)(const Candidate&, const Json&);
Json by_members(const Tuning& tuning, Operation operation, const Json& old, LeafOf leaf_of) {
  Json result = Json::object();
  const ScopeRules* all = nullptr;
  for (const ScopeRules& scope : tuning.scopes) {
    for (const OperationRules& rules : scope.operations) {
      if (rules.operation != operation) continue;
      const RuleOfRow rule_of = [&](const SizeRule& row) {
        const bool is_elsewhere = scope.members == Members::All && row.by_host;
        return is_elsewhere ? old : leaf_of(row.choice, old);
      };
      const Json sized = for_size(scope.ranks, ladder(rules, scope.ranks, old, rule_of), old);
      if (scope.members == Members::OneOfEachHost) result["comm_hierarchy=node_roots"] = sized;
      if (scope.members != Members::All) continue;
      all = &scope;
      result["comm_hierarchy=parent"] = sized;
    }
  }
  if (all == nullptr) return old;
  // Jobs with one rank a host have neither leaders nor parents.
  result["comm_hierarchy=any"] = tuning.scopes.size() > 1 ? old : result["comm_hierarchy=parent"];
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
  if (library.compositions.empty() || tuning.scopes.size() < 2) return "";
  Json document = Json::parse(library.compositions);
  const ScopeRules& all = tuning.scopes.front();
  for (const OperationRules& rules : all.operations) {
    Json* at = document.find(fmt::format("collective={}", mpich_name(rules.operation)));
    if (at == nullptr || !at->contains("comm_type=intra") ||
        mpich_composition(rules.operation, true).empty()) {
      continue;
    }
    Json& intra = (*at)["comm_type=intra"];
    const Json old = intra;
    const RuleOfRow rule_of = [&](const SizeRule& row) {
      Json one = Json::object();
      one["composition=" + mpich_composition(rules.operation, row.by_host)] = Json::object();
      return one;
    };
    intra = {
        {"comm_hierarchy=parent", for_size(all.ranks, ladder(rules, all.ranks, old, rule_of), old)},
        {"comm_hierarchy=any", old}};
  }
  return document.dump(1) + "\n";
}

}  // namespace espalier::tuning
