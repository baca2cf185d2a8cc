#include <algorithm>

#include "tree/exact/frontier.hpp"
#include "tree/exact/list_search.hpp"

namespace espalier::tree::exact {
namespace {

struct Candidate {
  std::int64_t surplus;
  std::size_t number;  // ties: the one that was made first
  Frontier frontier;
};

bool more_promising(const Candidate& a, const Candidate& b) {
  return a.surplus != b.surplus ? a.surplus > b.surplus : a.number < b.number;
}

}  // namespace

// What a schedule promises is its surplus under the potential: an upper bound of how many more
// could be served than there are.
Decision beam_search(const Instance& instance, const Potential& potential, Ticks deadline,
                     std::size_t width, Budget& budget) {
  Decision decision;
  decision.answer = Answer::Stopped;
  std::vector<Candidate> beam(1);
  beam[0].frontier = start(instance, potential, deadline);
  while (!beam.empty()) {
    std::vector<Candidate> next;
    for (const Candidate& candidate : beam) {
      const Frontier& at = candidate.frontier;
      if (at.complete()) {
        decision.answer = Answer::Found;
        decision.finish = at.finish(deadline);
        for (const Frontier::Served& s : at.served) decision.order.push_back(s.speed_class);
        return decision;
      }
      if (at.sends.empty()) continue;
      for (std::uint32_t c = 0; c < at.waiting.size(); ++c) {
        if (at.waiting[c] == 0) continue;
        if (instance.classes[c].cost > at.sends.front().left) break;
        if (!budget.spend(1 + (at.waiting.size() + at.sends.size()) / 64)) return decision;
        Candidate made{0, next.size(), {}};
        serve(instance, potential, at, c, made.frontier);
        if (made.frontier.complete()) {
          made.surplus = std::numeric_limits<std::int64_t>::max();
        } else if (!made.frontier.sends.empty()) {
          made.surplus = made.frontier.surplus(potential);
        } else {
          continue;
        }
        if (made.surplus >= 0) next.push_back(std::move(made));
      }
    }
    const std::size_t kept = std::min(width, next.size());
    std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(kept), next.end(),
                      more_promising);
    next.resize(kept);
    beam = std::move(next);
  }
  return decision;
}

}  // namespace espalier::tree::exact
