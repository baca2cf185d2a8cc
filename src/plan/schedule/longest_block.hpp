#pragma once

#include <cstdint>

#include "schedule/collective.hpp"

namespace espalier::schedule {

/// The longest message or block, in bytes, with which all bytes that the ranks send together fit
/// into 62 bits, so that no sum overflows. @pre ranks > 0
[[nodiscard]] inline std::uint64_t longest_block(Operation operation, Rank ranks) {
  const bool has_pairs = operation == Operation::Allgather || operation == Operation::Alltoall ||
                         operation == Operation::ReduceScatter;
  // A plan may send a block, or the whole, once in each of log2(ranks) rounds.
  constexpr std::uint64_t kMostRounds = 32;
  const std::uint64_t times = has_pairs ? std::uint64_t{ranks} : kMostRounds;
  return (std::uint64_t{1} << 62U) / (std::uint64_t{ranks} * times);
}

}  // namespace espalier::schedule
