#include "discover/experiment.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::discover {

bool is_sound(const Round& round, Node nodes) {
  std::vector<Node> used;
  for (const Experiment& e : round) {
    used.push_back(e.from);
    used.push_back(e.to);
    if (e.repeats == 0 || e.messages == 0) return false;
    if (e.kind == Kind::Train && e.messages < 4) return false;
  }
  std::sort(used.begin(), used.end());
  return std::adjacent_find(used.begin(), used.end()) == used.end() &&
         (used.empty() || used.back() < nodes);
}

bool goes_on(const Experiment& experiment, std::span<const Time> samples, Time passed) {
  if (samples.empty()) return true;
  if (samples.size() < experiment.repeats && passed < experiment.patience) return true;
  if (!experiment.warms_up || samples.size() >= kMostWarmUps) return false;
  if (samples.size() == 1) return true;
  const Time before = least(samples.first(samples.size() - 1));
  return 12 * samples.back().picoseconds <= 10 * before.picoseconds;
}

Time middle(std::span<const Time> samples) {
  expects(!samples.empty(), "middle: there are no samples");
  std::vector<Time> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) / 2];
}

Time least(std::span<const Time> samples) {
  expects(!samples.empty(), "least: there are no samples");
  return *std::min_element(samples.begin(), samples.end());
}

}  // namespace espalier::discover
