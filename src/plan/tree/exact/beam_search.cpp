#include <algorithm>
#include <limits>

#include "tree/exact/frontier.hpp"
#include "tree/exact/list_search.hpp"

namespace espalier::tree::exact {
namespace {

// So many of the fastest who wait are tried for each send: good schedules pass over few of them.
constexpr std::size_t kTried = 16;

/// A schedule in the making and what it promises: its surplus under the potential, an upper bound
/// of how many more than there are could still be served.
struct Candidate {
  std::int64_t surplus;
  std::size_t number;  ///< order of creation; breaks ties, the earlier first
  Frontier frontier;
};

bool more_promising(const Candidate& a, const Candidate& b) {
  return a.surplus != b.surplus ? a.surplus > b.surplus : a.number < b.number;
}

std::int64_t promise(const Frontier& frontier, const Potential& potential) {
  if (frontier.complete()) return std::numeric_limits<std::int64_t>::max();
  return frontier.sends.empty() ? -1 : frontier.surplus(potential);
}

/// Appends what `at` can become by one more send. False when the budget is spent.
bool extend(const Instance& instance, const Potential& potential, const Frontier& at,
            std::vector<Candidate>& next, SearchBudget& budget) {
  std::size_t tried = 0;
  for (std::uint32_t c = 0; c < at.waiting.size() && tried < kTried; ++c) {
    if (at.waiting[c] == 0) continue;
    if (instance.classes[c].cost > at.sends.front().left) break;
    if (!budget.spend(steps_of(at))) return false;
    ++tried;
    Candidate made{0, next.size(), {}};
    serve(instance, potential, at, c, made.frontier);
    made.surplus = promise(made.frontier, potential);
    if (made.surplus >= 0) next.push_back(std::move(made));
  }
  return true;
}

void keep_best(std::vector<Candidate>& candidates, std::size_t width) {
  const std::size_t kept = std::min(width, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates.end(), more_promising);
  candidates.resize(kept);
}

}  // namespace

SearchResult beam_search(const Instance& instance, const Potential& potential, Ticks deadline,
                         std::size_t width, SearchBudget& budget) {
  std::vector<Candidate> beam;
  beam.push_back({0, 0, start(instance, potential, deadline)});
  while (!beam.empty()) {
    const Frontier& best = beam.front().frontier;  // what is complete is the most promising
    if (best.complete()) return found_by(best, deadline);
    std::vector<Candidate> next;
    for (const Candidate& candidate : beam) {
      if (candidate.frontier.sends.empty()) continue;
      if (!extend(instance, potential, candidate.frontier, next, budget)) {
        return {.answer = SearchAnswer::Stopped, .order = {}, .finish = 0};
      }
    }
    keep_best(next, width);
    beam = std::move(next);
  }
  return {.answer = SearchAnswer::Stopped, .order = {}, .finish = 0};
}

}  // namespace espalier::tree::exact
