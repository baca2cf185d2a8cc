#include "tuning/write_han.hpp"

#include <fmt/format.h>

#include "tuning/write_open_mpi.hpp"

namespace espalier::tuning {
namespace {

/// Collectives that HAN of Open MPI 4.1 reads rules for.
constexpr Operation kOfHan[]{Operation::Broadcast, Operation::Reduce,    Operation::Allreduce,
                             Operation::Barrier,   Operation::Allgather, Operation::Gather,
                             Operation::Scatter};

constexpr std::string_view kTuned = "1 # rules\n0 tuned\n";

/// Communicators of `ranks` ranks; neighbours that go the same way are one rule.
std::string rules_of_size(const OperationRules& rules, Rank ranks) {
  std::string lines;
  int count = 0;
  for (std::size_t row = 0; row < rules.rows.size(); ++row) {
    const bool by_host = rules.rows[row].by_host;
    if (row > 0 && rules.rows[row - 1].by_host == by_host) continue;
    lines += fmt::format("{} {}\n", first_bytes(rules, row), by_host ? "han" : "tuned");
    ++count;
  }
  return fmt::format("{} # communicators of {} ranks\n{} # rules\n{}", ranks, ranks, count, lines);
}

const OperationRules* rules_among_all(const Tuning& tuning, Operation operation) {
  if (tuning.scopes.empty()) return nullptr;
  for (const OperationRules& rules : tuning.scopes.front().operations) {
    if (rules.operation == operation) return &rules;
  }
  return nullptr;
}

}  // namespace

/// HAN takes the rules of the greatest listed size that is not above a communicator's, and wants
/// the first to be 1.
std::string han_rules(const Tuning& tuning) {
  std::string text;
  int count = 0;
  for (const Operation operation : kOfHan) {
    const OperationRules* rules = rules_among_all(tuning, operation);
    if (rules == nullptr) continue;
    ++count;
    const OpenMpiName name = open_mpi_name(operation);
    text += fmt::format("{} # {}\n3 # levels\n", name.number, name.name);
    text += fmt::format("0 # inside hosts\n1 # sizes\n1 # from 1 rank on\n{}", kTuned);
    text += fmt::format("1 # among hosts\n1 # sizes\n1 # from 1 rank on\n{}", kTuned);
    text += fmt::format("2 # communicators that span hosts\n3 # sizes\n1 # from 1 rank on\n{}{}",
                        kTuned, rules_of_size(*rules, tuning.ranks));
    text += fmt::format("{} # from {} ranks on\n{}", tuning.ranks + 1, tuning.ranks + 1, kTuned);
  }
  return fmt::format("{} # collectives; written by espalier export\n{}", count, text);
}

std::string simple_han_settings() {
  std::string line = "  export";
  for (const Operation operation : kOfHan) {
    if (operation == Operation::Barrier) continue;  // has one form only
    line += fmt::format(" OMPI_MCA_coll_han_use_simple_{}=1", open_mpi_name(operation).name);
  }
  return line + "\n";
}

}  // namespace espalier::tuning
