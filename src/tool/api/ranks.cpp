#include "api/ranks.hpp"

#include <fmt/format.h>

#include <vector>

namespace espalier::api {

std::optional<Error> check_rank(Rank rank, Rank size, const std::string& where) {
  if (rank < size) return std::nullopt;
  return Error{where, fmt::format("there is no rank {}; the machine has {} processes", rank, size),
               fmt::format("ranks are 0 to {}", size - 1)};
}

std::optional<Error> check_ranks(std::span<const Rank> ranks, Rank size, const std::string& where) {
  std::vector<bool> seen(size, false);
  for (const Rank rank : ranks) {
    if (auto wrong = check_rank(rank, size, where)) return wrong;
    if (seen[rank]) {
      return Error{where, fmt::format("rank {} is named twice", rank), "name each rank once"};
    }
    seen[rank] = true;
  }
  return std::nullopt;
}

}  // namespace espalier::api
