#include "discover/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"

namespace espalier::discover {
namespace {

/// The last entry of several round trips is no sample: it is as good as the best one, or better.
std::span<const Time> without_least_ways(Kind kind, std::span<const Time> samples) {
  if (kind != Kind::RoundTrip || samples.size() < 2) return samples;
  return samples.first(samples.size() - 1);
}

}  // namespace

bool is_spread(std::span<const Time> samples) {
  if (samples.size() < 2) return false;
  std::vector<Time> two(2);
  std::partial_sort_copy(samples.begin(), samples.end(), two.begin(), two.end());
  return 2 * two[1].picoseconds > 3 * two[0].picoseconds && two[1] - two[0] > microseconds(20);
}

Expected<std::vector<std::vector<Measured>>> DoubtingProber::run(std::span<const Round> rounds) {
  auto measured = prober_.run(rounds);
  if (!measured) return measured;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      const std::span<const Time> samples =
          without_least_ways(rounds[r][i].kind, (*measured)[r][i].samples);
      if (samples.size() < 2) continue;
      ++repeated_;
      if (is_spread(samples)) ++spread_;
    }
  }
  return measured;
}

std::vector<std::string> doubts_of(std::uint64_t repeated, std::uint64_t spread, Time spent,
                                   Time meant) {
  std::vector<std::string> doubts;
  if (spread >= 3 && 4 * spread > repeated) {
    doubts.push_back(fmt::format(
        "uncertain: in {} of {} experiments the second best sample took half as long again as the "
        "best, or more; latencies and bandwidths may be wrong",
        spread, repeated));
  }
  if (spent.picoseconds > 3 * meant.picoseconds) {
    doubts.push_back(
        fmt::format("uncertain: measuring took {}, where {} was meant: something held it up",
                    rounded(spent, 2), rounded(meant, 2)));
  }
  return doubts;
}

std::vector<std::string> doubts_of(std::span<const NodeLoad> loads) {
  std::vector<const NodeLoad*> busy;
  for (const NodeLoad& node : loads) {
    if (node.cores > 0 && node.load > node.cores) busy.push_back(&node);
  }
  if (busy.empty()) return {};
  const NodeLoad& worst = **std::max_element(
      busy.begin(), busy.end(),
      [](const NodeLoad* a, const NodeLoad* b) { return a->load * b->cores < b->load * a->cores; });
  return {fmt::format(
      "uncertain: {} had a load of {:.1f} on {} core{}{}; measure again when it is "
      "idle (espalier discover --fresh)",
      worst.name, worst.load, worst.cores, worst.cores == 1 ? "" : "s",
      busy.size() == 1
          ? ""
          : fmt::format(", and {} of {} nodes more to do than cores", busy.size(), loads.size()))};
}

}  // namespace espalier::discover
