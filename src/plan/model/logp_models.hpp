#pragma once

#include <vector>

#include "model/cost_model.hpp"

namespace espalier::model {

// Models of the LogP family: latency and overhead, equal for all pairs or for those of a level.

/// A send takes its sender one unit, a message arrives lambda units after its sender turned to it,
/// and the receiver is busy with it for the last of them. Equal for all pairs.
///
/// A. Bar-Noy, S. Kipnis: "Designing broadcasting algorithms in the postal model for
/// message-passing systems", SPAA 1992.
class Postal : public CostModel {
 public:
  /// @pre unit <= delivered; lambda is delivered / unit
  Postal(Rank size, Time unit, Time delivered);

  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] MessageCost cost(Rank, Rank, Bytes) const override {
    return {unit_, unit_, delivered_};
  }
  [[nodiscard]] std::string name() const override { return "postal"; }

 private:
  Rank size_;
  Time unit_;
  Time delivered_;
};

/// A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman: "LogGP: incorporating long messages into
/// the LogP model", SPAA 1995. k bytes arrive after o + (k-1) G + L + o; the sender's next message
/// can start max(g, o) + (k-1) G after this one.
struct LogGPParameters {
  Time latency;   ///< L in the paper
  Time overhead;  ///< o in the paper: processor time of the sender and of the receiver
  Time gap;       ///< g in the paper: least time between two messages of a rank
  Bandwidth bandwidth = kUnlimited;  ///< 1 / G in the paper
};

class LogGP : public CostModel {
 public:
  LogGP(Rank size, const LogGPParameters& parameters) : size_(size), p_(parameters) {}

  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "loggp"; }

 private:
  Rank size_;
  LogGPParameters p_;
};

/// LogGP with parameters of its own for each level: ranks lie in blocks, blocks in larger blocks.
struct LogGPLevel {
  Rank span =
      1;  ///< ranks in one block of this level; ranks r and s share it if r / span == s / span
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
