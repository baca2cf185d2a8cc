#include "select/score.hpp"

#include <algorithm>

#include "sim/simulate.hpp"

namespace espalier::select {

std::vector<Scored> score(std::vector<Candidate> candidates, const schedule::Collective& call,
                          const topology::Machine& machine, const sim::SimOptions& options) {
  std::vector<Scored> scored;
  scored.reserve(candidates.size());
  for (Candidate& candidate : candidates) {
    sim::SimResult result = sim::simulate(call, candidate.program_of, machine, options);
    scored.push_back({std::move(candidate), std::move(result)});
  }
  std::stable_sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) {
    return a.result.finish < b.result.finish;
  });
  return scored;
}

}  // namespace espalier::select
