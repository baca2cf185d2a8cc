#include <fmt/format.h>

#include <array>

#include "tuning/han.hpp"
#include "tuning/write_open_mpi.hpp"

namespace espalier::tuning {
namespace {

/// Levels of coll/han: ranks of one host, one rank of each host, the program's communicator.
enum class Level : std::uint8_t { Host, Leaders, All };

/// Collectives that coll/han makes in 4.1 and 5. Without a rule it would take them all.
struct HanCollective {
  int number;  ///< the number that rules of coll/tuned have too
  std::string_view name;
};
constexpr std::array<HanCollective, 8> kOfHan{{{0, "allgather"},
                                               {1, "allgatherv"},
                                               {2, "allreduce"},
                                               {6, "barrier"},
                                               {7, "bcast"},
                                               {9, "gather"},
                                               {11, "reduce"},
                                               {15, "scatter"}}};

/// nullptr if no size of it goes by hosts.
const OperationRules* rules_by_hosts(const Tuning& tuning, const HanCollective& collective) {
  for (const OperationRules& rules : tuning.scopes.front().operations) {
    if (open_mpi_name(rules.operation).number != collective.number) continue;
    for (const SizeRule& row : rules.rows) {
      if (row.by_host) return &rules;
    }
  }
  return nullptr;
}

/// The component that leaves calls of a program's communicator to coll/tuned.
///
/// Open MPI 4.1.4 ends with a segmentation fault if that of an allreduce is "tuned": it goes on in
/// coll/han with the module of coll/tuned. "self" is for communicators of one rank, so others have
/// no such module, and the call goes to the component that was there before coll/han: coll/tuned.
std::string_view left_to_tuned(const HanCollective& collective) {
  return collective.name == "allreduce" ? "self" : "tuned";
}

/// One rule for all sizes. No comment stands behind a component: what follows it is read by
/// characters.
std::string for_all_sizes(std::string_view component) {
  return fmt::format("1 # rules\n0 {}\n", component);
}

std::string for_all_ranks(Level level, std::string_view component) {
  return fmt::format("{}\n1 # sizes\n1 # from 1 rank on\n{}", static_cast<int>(level),
                     for_all_sizes(component));
}

/// Neighbours of the same kind are one rule.
std::string kinds_by_size(const OperationRules& rules, std::string_view not_by_host) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t row = 0; row < rules.rows.size(); ++row) {
    const bool by_host = rules.rows[row].by_host;
    if (row > 0 && by_host == rules.rows[row - 1].by_host) continue;
    text += fmt::format("{} {}\n", first_bytes(rules, row), by_host ? "han" : not_by_host);
    ++count;
  }
  return fmt::format("{} # rules\n{}", count, text);
}

/// A rule holds from its number of ranks on, and there must be one from 1 on.
std::string only_for(Rank ranks, const std::string& rules, std::string_view others) {
  const std::string of_others = for_all_sizes(others);
  return fmt::format(
      "{}\n3 # sizes\n1 # from 1 rank on\n{}{} # communicators of {} ranks\n{}{} # from {} ranks "
      "on\n{}",
      static_cast<int>(Level::All), of_others, ranks, ranks, rules, ranks + 1, ranks + 1,
      of_others);
}

}  // namespace

std::string han_rules(const Tuning& tuning) {
  std::string text =
      fmt::format("{} # collectives of coll/han; written by espalier export\n", kOfHan.size());
  for (const HanCollective& collective : kOfHan) {
    text += fmt::format("{} # {}\n", collective.number, collective.name);
    const std::string_view left = left_to_tuned(collective);
    const OperationRules* rules = rules_by_hosts(tuning, collective);
    if (rules == nullptr) {
      text += "1 # levels\n" + for_all_ranks(Level::All, left);
      continue;
    }
    text += "3 # levels\n" + for_all_ranks(Level::Host, "tuned") +
            for_all_ranks(Level::Leaders, "tuned") +
            only_for(tuning.scopes.front().ranks, kinds_by_size(*rules, left), left);
  }
  return text;
}

}  // namespace espalier::tuning
