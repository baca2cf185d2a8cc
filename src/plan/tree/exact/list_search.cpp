#include "tree/exact/list_search.hpp"

#include <algorithm>

namespace espalier::tree::exact {
namespace {

// Which orders need not be tried.
//
// Call the ranks that are served before complete() holds the inner ones. Of all orders that meet
// the deadline take one with the fewest inner ranks and, among those, the one whose sequence of
// costs is the first in lexicographic order. Each rule below throws away only orders that are not
// that one, because exchanging two ranks makes the sequence smaller, with no more inner ranks, and
// gives a multiset of sends that is at each moment at least as large (so that nobody is served
// later):
//
//   A  Every inner rank sends at least once: else it could wait for the leaves.
//   B  The inner ranks are the fastest: a faster leaf could take the place of a slower inner rank.
//   C  (Lemma 2) No rank but the root serves a faster one. Say p serves h, c_h < c_p, by its q-th
//      send. Let h take p's place, serve p by its q-th send, and go on as before: p's first sends,
//      r < q, become h's and are earlier; p's later ones are over q (c_p - c_h) earlier, and so are
//      all of h's.
//   D  i was served with x left, a faster j is to be served with y <= x left, and the sends of both
//      after changing places, {x - q c_j} and {y - q c_i}, are never fewer than {x - q c_i} and
//      {y - q c_j} were. A lag x - y at which that is certain to be so for this and all later y is
//      found without looking at the sends: see hopeless_lag().
//
// The order taken obeys all of them at once, so the search finds it if no bound is wrong.
class ListSearch {
 public:
  ListSearch(const Instance& instance, const Potential& potential, Ticks deadline,
             SearchBudget& budget)
      : instance_(instance), potential_(potential), deadline_(deadline), budget_(budget) {
    levels_.resize(instance.others + 1);
  }

  SearchResult run() {
    levels_[0] = start(instance_, potential_, deadline_);
    extend(0);
    return decision_;
  }

 private:
  /// True when the search is over.
  bool extend(std::size_t level) {
    const Frontier& at = levels_[level];
    if (at.complete()) {
      decision_ = found_by(at, deadline_);
      return true;
    }
    if (at.sends.empty()) return false;
    if (!budget_.spend(steps_of(at))) {
      decision_.answer = SearchAnswer::Stopped;
      return true;
    }
    if (at.surplus(potential_) < 0 || passed_over_for_ever(at)) return false;

    const Frontier::Send& send = at.sends.front();
    const std::uint32_t first = send.from == kByRoot ? 0 : send.from;  // rule C
    for (std::uint32_t c = first; c < at.waiting.size(); ++c) {
      if (instance_.classes[c].cost > send.left) break;  // rule A
      if (at.waiting[c] == 0 || better_exchanged(at, c)) continue;
      serve(instance_, potential_, at, c, levels_[level + 1]);
      if (extend(level + 1)) return true;
    }
    return false;
  }

  /// The fastest of those who wait has been passed over, and it is too late to make it good: by
  /// rule B, if it can not send any more, or by rule D.
  bool passed_over_for_ever(const Frontier& at) const {
    std::uint32_t j = 0;
    while (at.waiting[j] == 0) ++j;
    const Ticks left = at.sends.front().left;
    const Ticks cost = instance_.classes[j].cost;
    return std::any_of(at.served.begin(), at.served.end(), [&](const Frontier::Served& i) {
      return i.speed_class > j &&
             (cost > left ||
              i.left - left >= hopeless_lag(instance_.classes[i.speed_class].cost, cost));
    });
  }

  /// From this lag on, rule D holds. With lag L, after y the one gets floor((L + e) / c_j) -
  /// floor(e / c_j) >= floor(L / c_j) sends more out of changing places, and loses at most
  /// ceil(L / c_i). The first is less than the second only if n c_i < L < (n + 1) c_j for a whole
  /// n.
  static Ticks hopeless_lag(Ticks slow, Ticks fast) {
    const Ticks n = (fast - 1) / (slow - fast);  // the largest with n slow < (n + 1) fast
    return (n + 1) * fast;
  }

  /// Rule D for serving one of class `j` now.
  bool better_exchanged(const Frontier& at, std::uint32_t j) const {
    const Ticks left = at.sends.front().left;
    return std::any_of(at.served.begin(), at.served.end(), [&](const Frontier::Served& i) {
      return i.speed_class > j &&
             never_fewer_exchanged(i.left, instance_.classes[i.speed_class].cost, left,
                                   instance_.classes[j].cost);
    });
  }

  /// Compares the k-th send before and after the exchange, for all k.
  static bool never_fewer_exchanged(Ticks early, Ticks slow, Ticks late, Ticks fast) {
    Ticks before_1 = early - slow;
    Ticks before_2 = late - fast;
    Ticks after_1 = early - fast;
    Ticks after_2 = late - slow;
    while (true) {
      const Ticks before = std::max(before_1, before_2);
      if (before < 0) return true;
      if (std::max(after_1, after_2) < before) return false;
      (before_1 >= before_2 ? before_1 -= slow : before_2 -= fast);
      (after_1 >= after_2 ? after_1 -= fast : after_2 -= slow);
    }
  }

  const Instance& instance_;
  const Potential& potential_;
  Ticks deadline_;
  SearchBudget& budget_;
  std::vector<Frontier>
      levels_;  // one for each number of ranks served, so that nothing is allocated
  SearchResult decision_;
};

}  // namespace

SearchResult found_by(const Frontier& complete, Ticks deadline) {
  SearchResult decision{
      .answer = SearchAnswer::Found, .order = {}, .finish = complete.finish(deadline)};
  for (const Frontier::Served& s : complete.served) decision.order.push_back(s.speed_class);
  return decision;
}

SearchResult list_search(const Instance& instance, const Potential& potential, Ticks deadline,
                         SearchBudget& budget) {
  return ListSearch(instance, potential, deadline, budget).run();
}

}  // namespace espalier::tree::exact
