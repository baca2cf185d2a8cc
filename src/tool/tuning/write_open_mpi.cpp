#include "tuning/write_open_mpi.hpp"

#include <fmt/format.h>

#include <map>

#include "base/json.hpp"

namespace espalier::tuning {
namespace {

std::vector<Operation> operations_of(const Tuning& tuning) {
  std::vector<Operation> all;
  if (tuning.scopes.empty()) return all;
  for (const OperationRules& rules : tuning.scopes.front().operations) {
    all.push_back(rules.operation);
  }
  return all;
}

/// A range of sizes with one choice.
struct Range {
  std::uint64_t from = 0;
  Candidate choice;
};

/// Neighbours of the same choice are one range.
std::vector<Range> ranges_of(const OperationRules& rules, Rank ranks) {
  std::vector<Range> all;
  for (std::size_t row = 0; row < rules.rows.size(); ++row) {
    const Candidate& choice = rules.rows[row].choice;
    if (!all.empty() && all.back().choice == choice) continue;
    const std::uint64_t blocks = counts_all_blocks(rules.operation) ? ranks : 1;
    all.push_back({first_bytes(rules, row) * blocks, choice});
  }
  return all;
}

std::string_view name_of_choice(const Candidate& choice) {
  return choice.algorithm == nullptr ? "as without this file" : choice.algorithm->name;
}

/// Knomial trees take their radix from a setting of their own, and pipelines are chains of one.
/// Open MPI 6 takes the fan of Bruck's allgather as its radix, and never ends with 0; before 6
/// there is no radix but 2.
Rank fan_in_file(const Candidate& choice) {
  const NativeAlgorithm* algorithm = choice.algorithm;
  if (algorithm == nullptr) return 0;
  if (algorithm->operation == Operation::Allgather && algorithm->name == "bruck") return 2;
  return algorithm->tree == NativeTree::Chains ? choice.fan : 0;
}

int number_of(const Candidate& choice) {
  return choice.algorithm == nullptr ? 0 : choice.algorithm->number;
}

std::string ladder_text(const OperationRules& rules, Rank ranks) {
  const std::vector<Range> ranges = ranges_of(rules, ranks);
  std::string text =
      fmt::format("{} # communicators of {} ranks\n{} # rules\n", ranks, ranks, ranges.size());
  for (const Range& range : ranges) {
    text +=
        fmt::format("{} {} {} {} # {}\n", range.from, number_of(range.choice),
                    fan_in_file(range.choice), range.choice.segment, name_of_choice(range.choice));
  }
  return text;
}

/// The rules of one operation in communicators of one shape; an empty array if it has none.
Json ladder_json(const OperationRules& rules, Rank ranks) {
  Json ladder = Json::array();
  const std::vector<Range> ranges = ranges_of(rules, ranks);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Candidate& choice = ranges[i].choice;
    if (choice.algorithm == nullptr) continue;
    Json rule{{"msg_size_min", ranges[i].from}};
    if (i + 1 < ranges.size()) {
      rule["msg_size_max"] = ranges[i + 1].from - 1;
    } else {
      rule["msg_size_max"] = "inf";
    }
    // By number: 6 has other names for some, and passes over rules with names that it does not
    // know.
    rule["alg"] = choice.algorithm->number;
    if (fan_in_file(choice) != 0) rule["faninout"] = fan_in_file(choice);
    if (choice.segment != 0) rule["seg_size"] = choice.segment;
    ladder.push_back(std::move(rule));
  }
  return ladder;
}

/// Adds the rules of an operation in communicators of one shape, if it has any.
void add_scope(Json& sizes, const ScopeRules& scope, Operation operation) {
  const OperationRules* rules = rules_in(scope, operation);
  Json ladder = rules == nullptr ? Json::array() : ladder_json(*rules, scope.ranks);
  if (ladder.empty()) return;
  Json one{{"comm_size_min", scope.ranks}, {"comm_size_max", scope.ranks}};
  if (scope.members == Members::OneOfEachHost) one["comm_rank_distribution"] = "one-per-node";
  one["rules"] = std::move(ladder);
  sizes.push_back(std::move(one));
}

std::string untouched(Rank from) {
  return fmt::format("{} # from {} ranks on: as without this file\n1 # rules\n0 0 0 0\n", from,
                     from);
}

}  // namespace

OpenMpiName open_mpi_name(Operation operation) {
  switch (operation) {
    case Operation::Allgather:
      return {"allgather", 0};
    case Operation::Allreduce:
      return {"allreduce", 2};
    case Operation::Alltoall:
      return {"alltoall", 3};
    case Operation::Barrier:
      return {"barrier", 6};
    case Operation::Broadcast:
      return {"bcast", 7};
    case Operation::Gather:
      return {"gather", 9};
    case Operation::Reduce:
      return {"reduce", 11};
    case Operation::Scatter:
      return {"scatter", 15};
    default:
      return {"", -1};
  }
}

bool counts_all_blocks(Operation operation) {
  return operation == Operation::Allgather || operation == Operation::Alltoall ||
         operation == Operation::Gather || operation == Operation::Scatter;
}

/// Open MPI takes the rules of the greatest listed size that is not above a communicator's, and the
/// first for smaller ones. So sizes between are listed too, with algorithm 0: its own choice.
std::string open_mpi_rules(const Tuning& tuning) {
  const std::vector<Operation> operations = operations_of(tuning);
  const std::map<Rank, const ScopeRules*> by_size = rules_by_size(tuning);
  std::string text =
      fmt::format("{} # collectives; written by espalier export\n", operations.size());
  for (const Operation operation : operations) {
    std::string sizes;
    int count = 0;
    Rank next = 0;  // the first size that no rules were written for
    for (const auto& [ranks, scope] : by_size) {
      const OperationRules* rules = rules_in(*scope, operation);
      if (rules == nullptr) continue;
      if (next < ranks) {
        sizes += untouched(next);
        ++count;
      }
      sizes += ladder_text(*rules, ranks);
      ++count;
      next = ranks + 1;
    }
    sizes += untouched(next);
    const OpenMpiName name = open_mpi_name(operation);
    text += fmt::format("{} # {}\n{} # communicator sizes\n{}", name.number, name.name, count + 1,
                        sizes);
  }
  return text;
}

/// Open MPI takes the first rules that hold for a communicator. Those of one rank of each host hold
/// for such communicators only, so ranks of one host do not lose by them; they come before rules of
/// as many first ranks.
std::string open_mpi_json(const Tuning& tuning) {
  Json collectives = Json::object();
  for (const Operation operation : operations_of(tuning)) {
    Json sizes = Json::array();
    for (const ScopeRules& scope : tuning.scopes) add_scope(sizes, scope, operation);
    for (const Tuning& first : tuning.of_first) {
      for (const ScopeRules& scope : first.scopes) add_scope(sizes, scope, operation);
    }
    if (!sizes.empty()) collectives[std::string(open_mpi_name(operation).name)] = sizes;
  }
  const Json document{
      {"rule_file_version", 3}, {"module", "tuned"}, {"collectives", std::move(collectives)}};
  return document.dump(2) + "\n";
}

}  // namespace espalier::tuning
