#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "schedule/index_set.hpp"

namespace espalier::runtime {

/// Ranks in an order, in few bytes: as runs, or one by one where that takes less. All ranks, those
/// of a node, a row or a column are one run. Many communicators keep their members so at a time.
class KeptRanks {
 public:
  KeptRanks() = default;
  explicit KeptRanks(std::vector<Rank> ranks);

  [[nodiscard]] std::vector<Rank> spelled_out() const;
  /// About how many bytes it holds, besides its own.
  [[nodiscard]] std::uint64_t bytes() const {
    return runs_.runs().size() * sizeof(schedule::IndexRun) + listed_.capacity() * sizeof(Rank);
  }

 private:
  schedule::IndexSet runs_;  // one of the two is empty
  std::vector<Rank> listed_;
};

}  // namespace espalier::runtime
