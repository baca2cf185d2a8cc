#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "fake_mpi/fake_calls.hpp"
#include "fake_mpi/fake_mpi.hpp"

namespace espalier::fake {

/// Tell 64 calls apart.
inline constexpr runtime::Tags kTags(32767);

using CallsOfAll = std::deque<std::unique_ptr<AnyCall>>;

/// All ranks with their channels, and calls that every rank begins in the same order.
class Ranks {
 public:
  Ranks(int size, const mpi::ChannelOptions& options, std::size_t eager) : world_(size, eager) {
    for (int r = 0; r < size; ++r) {
      channels_.push_back(std::make_unique<mpi::Channel>(MPI_COMM_WORLD, r, size, kTags, options));
    }
    runs_.resize(static_cast<std::size_t>(size));
  }
  /// Begins the rank's next call.
  void begin(int rank, CallsOfAll& calls) {
    world_.me = rank;
    auto& mine = runs_[static_cast<std::size_t>(rank)];
    mine.push_back(calls[mine.size()]->begin(channel(rank)));
  }
  /// Steps one of those that are under way.
  void step_any(int rank, Random& rng) {
    std::vector<std::size_t> open;
    for (std::size_t c = 0; c < begun(rank); ++c) {
      if (!run(rank, c).is_done()) open.push_back(c);
    }
    if (!open.empty()) step(rank, open[rng.below(open.size())]);
  }
  void step(int rank, std::size_t which) {
    world_.me = rank;
    run(rank, which).step();
  }
  [[nodiscard]] std::size_t begun(int rank) const {
    return runs_[static_cast<std::size_t>(rank)].size();
  }
  [[nodiscard]] RankRun& run(int rank, std::size_t which) {
    return *runs_[static_cast<std::size_t>(rank)][which];
  }
  /// How many of a rank's calls are under way.
  [[nodiscard]] std::size_t open(int rank) const {
    const auto& mine = runs_[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(
        std::count_if(mine.begin(), mine.end(), [](const auto& run) { return !run->is_done(); }));
  }
  /// For messages: which calls are not done, and on which ranks.
  [[nodiscard]] std::string states(const CallsOfAll& calls) {
    std::string text;
    for (int r = 0; r < world_.size(); ++r) {
      for (std::size_t c = 0; c < begun(r); ++c) {
        if (run(r, c).is_done()) continue;
        text += fmt::format(" rank {}: call {} ({})", r, c, calls[c]->name());
      }
    }
    return text;
  }
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] mpi::Channel& channel(int rank) {
    return *channels_[static_cast<std::size_t>(rank)];
  }

 private:
  World world_;
  std::vector<std::unique_ptr<mpi::Channel>> channels_;
  std::vector<std::vector<std::unique_ptr<RankRun>>> runs_;
};

}  // namespace espalier::fake
