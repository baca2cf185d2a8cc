#include "report/rank_ranges.hpp"

#include <fmt/format.h>

namespace espalier::report {
namespace {

/// How many ranks from `first` on go up in steps of `step`.
std::size_t run_length(const std::vector<Rank>& ranks, std::size_t first, Rank step) {
  std::size_t length = 1;
  while (first + length < ranks.size() &&
         ranks[first + length] - ranks[first + length - 1] == step) {
    ++length;
  }
  return length;
}

}  // namespace

std::string rank_ranges(const std::vector<Rank>& ranks, std::size_t max_pieces) {
  const bool strided = ranks.size() > 2 && ranks[1] - ranks[0] > 1 &&
                       run_length(ranks, 0, ranks[1] - ranks[0]) == ranks.size();
  if (strided) {
    return fmt::format("{}-{} step {}", ranks.front(), ranks.back(), ranks[1] - ranks[0]);
  }
  std::string text;
  std::size_t pieces = 0;
  for (std::size_t at = 0; at < ranks.size(); ++pieces) {
    if (pieces == max_pieces) return text + ",…";
    const std::size_t length = run_length(ranks, at, 1);
    if (pieces > 0) text += ',';
    text += fmt::format("{}", ranks[at]);
    if (length > 1) text += fmt::format("-{}", ranks[at + length - 1]);
    at += length;
  }
  return text;
}

}  // namespace espalier::report
