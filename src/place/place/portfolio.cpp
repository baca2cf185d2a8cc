#include "place/portfolio.hpp"

#include <algorithm>
#include <numeric>

#include "base/progress.hpp"
#include "map/mappings.hpp"
#include "place/listed_order.hpp"

namespace espalier::place {
namespace {

/// Fast nodes first, in the given order among equals.
std::vector<std::uint32_t> fastest_first(const map::Problem& problem,
                                         std::vector<std::uint32_t> slots) {
  std::stable_sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) {
    return problem.slots[a].speed_millionths > problem.slots[b].speed_millionths;
  });
  return slots;
}

bool speeds_differ(const map::Problem& problem) {
  return std::any_of(problem.slots.begin(), problem.slots.end(), [&](const map::Slot& s) {
    return s.speed_millionths != problem.slots[0].speed_millionths;
  });
}

bool is_better(const Candidate& a, const Candidate& b) {
  return a.predicted != b.predicted ? a.predicted < b.predicted : a.traffic < b.traffic;
}

class Portfolio {
 public:
  Portfolio(const map::Problem& problem, const SearchOptions& options)
      : problem_(problem),
        options_(options),
        trace_(*problem.profile, options.trace_steps),
        sharing_(sharing_for(problem)),
        replayer_(problem, trace_, sharing_) {
    answer_.is_replayed = !trace_.is_too_long();
  }

  Answer run() && {
    answer_.paper = select_topology(problem_, kFullSelection);
    add("sequential", select_topology(problem_, kNoPolicy).placement);
    add("sorted", select_topology(problem_, kSortedList).placement);
    add("full", answer_.paper.placement);
    add_mappings("", answer_.paper.sorted);
    if (speeds_differ(problem_)) {
      add_mappings(", fastest nodes", fastest_first(problem_, answer_.paper.sorted));
    }
    progress_.reach(kMappingsShare);
    add_refined();
    progress_.reach(kRefinedShare);
    if (answer_.is_replayed) add_searched();
    answer_.chosen = best();
    if (answer_.chosen >= kOfThePaper) use_hosts_as_listed(answer_.candidates[answer_.chosen]);
    return std::move(answer_);
  }

 private:
  void add(std::string name, map::Placement placement) {
    expects(is_valid(problem_, placement), "place_processes: a mapping lost a process");
    for (const Candidate& c : answer_.candidates) {
      if (c.placement == placement && c.name == name) return;
    }
    Candidate candidate{std::move(name), std::move(placement), {}, {}};
    predict_candidate(candidate);
    answer_.candidates.push_back(std::move(candidate));
  }
  void add_mappings(const std::string& where, const std::vector<std::uint32_t>& slots) {
    add("greedy" + where, greedy_placement(problem_, slots));
    add("scotch" + where, scotch_placement(problem_, slots));
    add("treematch" + where, grouped_placement(problem_, slots));
  }
  void predict_candidate(Candidate& candidate) {
    candidate.traffic = total_cost(problem_, candidate.placement);
    candidate.predicted =
        answer_.is_replayed ? replayer_.finish(candidate.placement) : candidate.traffic;
  }
  /// Searches leave the order of hosts that are alike to chance; readers look for the first ones.
  void use_hosts_as_listed(Candidate& candidate) {
    Candidate listed{candidate.name, in_listed_order(problem_, candidate.placement), {}, {}};
    predict_candidate(listed);
    if (!is_better(candidate, listed)) candidate = std::move(listed);
  }
  [[nodiscard]] std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < answer_.candidates.size(); ++i) {
      if (is_better(answer_.candidates[i], answer_.candidates[best])) best = i;
    }
    return best;
  }
  void add_refined() {
    constexpr std::uint64_t kMoves = 200'000;
    constexpr std::uint64_t kLooks = 40'000'000;  // at edges: a second or two
    const std::size_t b = best();
    std::size_t cheapest = 0;
    for (std::size_t i = 1; i < answer_.candidates.size(); ++i) {
      if (answer_.candidates[i].traffic < answer_.candidates[cheapest].traffic) cheapest = i;
    }
    for (const std::size_t i : {b, cheapest}) {
      map::Placement refined = answer_.candidates[i].placement;
      refine(problem_, refined, kMoves, kLooks);
      add(answer_.candidates[i].name + ", refined", std::move(refined));
      if (b == cheapest) break;
    }
  }
  /// A shorter trace makes more tries; the winner is predicted with the long one like all others.
  void add_searched() {
    const std::uint64_t tries = 400;
    // On large machines a replay says little about one swap: most of the gain is in the mappings.
    // Exact sharing takes about four times as long a step.
    const bool is_dear = problem_.size() > 256 || sharing_ == sim::Sharing::ExactMaxMin;
    const std::uint64_t budget = options_.search_steps / (is_dear ? 4 : 1);
    const map::ReadyTrace brief(*problem_.profile, std::max<std::uint64_t>(budget / tries, 2'000));
    if (brief.is_too_long() || brief.steps() > budget / 8) return;
    map::Replayer quick(problem_, brief, sharing_);
    std::vector<std::size_t> order(answer_.candidates.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return is_better(answer_.candidates[a], answer_.candidates[b]);
    });
    const std::size_t starts = std::min<std::size_t>(order.size(), 3);
    for (std::size_t i = 0; i < starts; ++i) {
      map::Placement found = answer_.candidates[order[i]].placement;
      search(problem_, quick, brief.steps(), budget / starts, options_.seed + i, found);
      add("local search from " + answer_.candidates[order[i]].name, std::move(found));
      progress_.reach(kRefinedShare + (kWholeShare - kRefinedShare) * (i + 1) / starts);
    }
  }

  /// Parts of the time, roughly: mappings, their refinement, the search by replay.
  static constexpr std::size_t kMappingsShare = 2, kRefinedShare = 4, kWholeShare = 10;

  /// The first candidates go by rules, and steps that are printed say how.
  static constexpr std::size_t kOfThePaper = 3;

  Progress progress_{"placing", kWholeShare, Progress::Told::ByTheClock};
  const map::Problem& problem_;
  const SearchOptions& options_;
  map::ReadyTrace trace_;
  sim::Sharing sharing_;
  map::Replayer replayer_;
  Answer answer_;
};

}  // namespace

Answer place_processes(const map::Problem& problem, const SearchOptions& options) {
  return Portfolio(problem, options).run();
}

}  // namespace espalier::place
