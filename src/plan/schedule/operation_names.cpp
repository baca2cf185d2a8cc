#include "schedule/operation_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace espalier::schedule {

std::string usual_name(std::string_view name) {
  std::string word(name);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  if (word.starts_with("mpi-")) word.erase(0, 4);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kOthers{
      {{"bcast", "broadcast"},
       {"reduce-scatter-block", "reduce-scatter"},
       {"reducescatter", "reduce-scatter"},
       {"all-reduce", "allreduce"},
       {"all-gather", "allgather"},
       {"all-gatherv", "allgatherv"},
       {"all-to-all", "alltoall"},
       {"all-to-allv", "alltoallv"},
       {"neighbor-allgather", "neighbour-allgather"},
       {"neighbor-alltoall", "neighbour-alltoall"}}};
  for (const auto& [other, usual] : kOthers) {
    if (word == other) return std::string(usual);
  }
  return word;
}

std::optional<Operation> operation_called(std::string_view name) {
  return operation_named(usual_name(name));
}

}  // namespace espalier::schedule
