#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/expected.hpp"
#include "lab/rank_cell.h"
#include "topology/machine.hpp"

namespace espalier::lab {

/// The ranks' cells, in a file that the library in the ranks maps as we do.
class RankBoard {
 public:
  static Expected<RankBoard> create(const std::string& path,
                                    const std::vector<EspalierRankCell>& cells);
  static Expected<RankBoard> open(const std::string& path, std::size_t ranks);
  RankBoard(RankBoard&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), ranks_(other.ranks_) {}
  RankBoard& operator=(RankBoard&&) = delete;
  RankBoard(const RankBoard&) = delete;
  RankBoard& operator=(const RankBoard&) = delete;
  ~RankBoard();

  [[nodiscard]] EspalierRankCell read(Rank rank) const;
  void write(Rank rank, const EspalierRankCell& cell);
  [[nodiscard]] std::size_t size() const { return ranks_; }

 private:
  RankBoard(void* memory, std::size_t ranks) : memory_(memory), ranks_(ranks) {}
  [[nodiscard]] EspalierRankCell* cell(Rank rank) const;
  void* memory_;
  std::size_t ranks_;
};

inline constexpr std::int64_t kAllOfACore = 1000;  // in thousandths of a core's time

/// One cell for each rank of the machine: its cost of sending, and its speed relative to the
/// fastest.
[[nodiscard]] std::vector<EspalierRankCell> rank_cells(const topology::Machine& machine);

}  // namespace espalier::lab
