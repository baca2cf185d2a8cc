#include "runtime/kept_ranks.hpp"

#include <utility>

namespace espalier::runtime {

KeptRanks::KeptRanks(std::vector<Rank> ranks) : runs_(ranks) {
  if (bytes() <= ranks.size() * sizeof(Rank)) return;
  runs_ = {};
  listed_ = std::move(ranks);
  listed_.shrink_to_fit();
}

std::vector<Rank> KeptRanks::spelled_out() const {
  std::vector<Rank> ranks = listed_;
  ranks.reserve(ranks.size() + runs_.size());
  runs_.for_each([&](std::uint64_t rank) { ranks.push_back(static_cast<Rank>(rank)); });
  return ranks;
}

}  // namespace espalier::runtime
