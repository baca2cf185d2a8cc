#pragma once

#include <span>
#include <string>
#include <vector>

#include "discover/experiment.hpp"

namespace espalier::discover {

/// Passes experiments on to another prober, and checks how far apart their samples lie.
///
/// A quiet network repeats itself: the second best sample is as good as the best. Where processes
/// wait for a core, or others' traffic is in the way, the best one is luck, and so is what follows
/// from it.
class DoubtingProber final : public Prober {
 public:
  explicit DoubtingProber(Prober& prober) : prober_(prober) {}
  [[nodiscard]] Node size() const override { return prober_.size(); }
  Expected<std::vector<std::vector<Measured>>> run(std::span<const Round> rounds) override;
  [[nodiscard]] Time spent() const override { return prober_.spent(); }

  /// Number of experiments with several samples.
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
  /// Number of experiments whose samples lie far apart.
  [[nodiscard]] std::uint64_t spread() const { return spread_; }

 private:
  Prober& prober_;
  std::uint64_t repeated_ = 0;
  std::uint64_t spread_ = 0;
};

/// Whether the second best of some samples is half as long again as the best, and by more than
/// 20 us: below that it is the clock's and the scheduler's grain.
[[nodiscard]] bool is_spread(std::span<const Time> samples);

/// How busy a node was before anything was measured.
struct NodeLoad {
  std::string name;
  double load = 0;          ///< processes that ran or wanted to, mean of the last minute
  std::uint32_t cores = 0;  ///< number of cores; 0: not known
};

/// Why figures may be wrong, a sentence each: samples far apart in more than a quarter of the
/// experiments, three times the time that was meant, nodes with more to do than they have cores.
[[nodiscard]] std::vector<std::string> doubts_of(std::uint64_t repeated, std::uint64_t spread,
                                                 Time spent, Time meant);
[[nodiscard]] std::vector<std::string> doubts_of(std::span<const NodeLoad> loads);

}  // namespace espalier::discover
