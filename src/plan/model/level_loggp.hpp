#pragma once

#include <vector>

#include "model/loggp.hpp"

namespace espalier::model {

/// LogGP with parameters of its own for each level: ranks lie in blocks, blocks in larger blocks.
struct LogGPLevel {
  Rank span = 1;  ///< two ranks of one block of so many communicate at this level, or a lower one
  LogGPParameters parameters;
};

/// O(levels) a question and no machine in memory: a million processes are no more work than two.
class LevelLogGP : public CostModel {
 public:
  /// @param levels from the innermost outwards, the last one for all that no other joins
  /// @pre there is one; spans grow
  LevelLogGP(Rank size, std::vector<LogGPLevel> levels);

  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "level-loggp"; }

 private:
  Rank size_;
  std::vector<LogGPLevel> levels_;
};

}  // namespace espalier::model
