#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "map/mappings.hpp"

namespace espalier::map {
namespace {

/// A placement and who is in each slot.
class Board {
 public:
  Board(const Problem& problem, Placement& placement) : problem_(problem), placement_(placement) {
    occupant_.assign(problem.slots.size(), kNoRank);
    for (Rank p = 0; p < problem.size(); ++p) occupant_[placement[p]] = p;
  }
  [[nodiscard]] Rank at(std::uint32_t slot) const { return occupant_[slot]; }
  /// Whether the process may go there, and it makes a difference.
  [[nodiscard]] bool may_move(Rank process, std::uint32_t slot) const {
    const std::uint32_t from = placement_[process];
    if (problem_.slots[from].part == problem_.slots[slot].part) return false;
    if (problem_.pinned[process] != Problem::kFree) return false;
    const Rank other = occupant_[slot];
    return other == kNoRank || problem_.pinned[other] == Problem::kFree;
  }
  /// The process goes to the slot; who was there takes its place. Doing it again to the slot it
  /// came from undoes it.
  void move(Rank process, std::uint32_t slot) {
    const std::uint32_t from = placement_[process];
    const Rank other = occupant_[slot];
    placement_[process] = slot;
    occupant_[slot] = process;
    occupant_[from] = other;
    if (other != kNoRank) placement_[other] = from;
  }

 private:
  const Problem& problem_;
  Placement& placement_;
  std::vector<Rank> occupant_;
};

/// Of the edges of one process, but not that to `without`.
Time cost_of(const Problem& problem, const Placement& placement, Rank process, Rank without) {
  Time sum;
  for (const Edge& edge : problem.edges_of(process)) {
    if (edge.other != without) {
      sum += problem.cost(edge, placement[process], placement[edge.other]);
    }
  }
  return sum;
}

/// Of the two processes that a move concerns, each edge once.
Time cost_around(const Problem& problem, const Placement& placement, Rank process, Rank other) {
  Time sum = cost_of(problem, placement, process, kNoRank);
  if (other != kNoRank) sum += cost_of(problem, placement, other, process);
  return sum;
}

std::vector<std::vector<std::uint32_t>> slots_of_parts(const Problem& problem) {
  std::vector<std::vector<std::uint32_t>> slots(problem.parts);
  for (std::uint32_t s = 0; s < problem.slots.size(); ++s) {
    slots[problem.slots[s].part].push_back(s);
  }
  return slots;
}

}  // namespace

std::uint64_t refine(const Problem& problem, Placement& placement, std::uint64_t most_moves,
                     std::uint64_t most_looks) {
  Board board(problem, placement);
  const auto slots = slots_of_parts(problem);
  std::uint64_t moves = 0, looks = 0;
  for (bool improved = true; improved;) {
    improved = false;
    for (Rank p = 0; p < problem.size(); ++p) {
      for (const Edge& edge : problem.edges_of(p)) {
        for (const std::uint32_t slot : slots[problem.slots[placement[edge.other]].part]) {
          if (!board.may_move(p, slot) || board.at(slot) == edge.other) continue;
          if (++moves > most_moves || looks >= most_looks) return looks;
          const Rank other = board.at(slot);
          looks += 2 * problem.edges_of(p).size();
          if (other != kNoRank) looks += 2 * problem.edges_of(other).size();
          const std::uint32_t from = placement[p];
          const Time before = cost_around(problem, placement, p, other);
          board.move(p, slot);
          if (cost_around(problem, placement, p, other) < before) {
            improved = true;
          } else {
            board.move(p, from);
          }
        }
      }
    }
  }
  return looks;
}

Time search(const Problem& problem, Replayer& replayer, std::uint64_t steps_a_replay,
            std::uint64_t most_steps, std::uint64_t seed, Placement& placement) {
  Random random(seed);
  // A replay has to set itself up, however short the trace.
  const std::uint64_t dear = steps_a_replay + 2 * problem.size() + 50;
  std::uint64_t spent = dear;
  Placement best = placement;
  Time best_time = replayer.finish(placement);
  const std::uint64_t slots = problem.slots.size();
  const std::uint64_t moves = problem.size() * slots;
  Time now = best_time;
  while (spent < most_steps && moves > 0) {
    Board board(problem, placement);
    // All moves in an order of their own: i -> (a * i + b) mod moves, a prime to moves.
    std::uint64_t a = random.below(moves) | 1;
    while (std::gcd(a, moves) != 1) a += 2;
    const std::uint64_t b = random.below(moves);
    std::uint64_t since = 0;  // moves in a row without a gain
    for (std::uint64_t i = 0; since < moves && spent < most_steps; ++i, ++since) {
      const auto pick =
          static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * (i % moves) + b) % moves);
      const auto process = static_cast<Rank>(pick / slots);
      const auto slot = static_cast<std::uint32_t>(pick % slots);
      if (!board.may_move(process, slot)) continue;
      const std::uint32_t from = placement[process];
      // A swap is found from both of its ends.
      if (board.at(slot) != kNoRank && board.at(slot) < process) continue;
      board.move(process, slot);
      const Time then = replayer.finish(placement);
      spent += dear;
      if (then < now) {
        now = then;
        since = 0;
      } else {
        board.move(process, from);
      }
    }
    if (now < best_time) best_time = now, best = placement;
    placement = best;
    Board kicked(problem, placement);
    for (int kick = 0; kick < 3; ++kick) {
      const auto process = static_cast<Rank>(random.below(problem.size()));
      const auto slot = static_cast<std::uint32_t>(random.below(slots));
      if (kicked.may_move(process, slot)) kicked.move(process, slot);
    }
    now = replayer.finish(placement);
    spent += dear;
  }
  placement = best;
  return best_time;
}

}  // namespace espalier::map
