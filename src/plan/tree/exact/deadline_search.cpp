#include "tree/exact/deadline_search.hpp"

#include <algorithm>

#include "tree/exact/list_search.hpp"
#include "tree/exact/potential.hpp"
#include "tree/exact/price_search.hpp"

namespace espalier::tree::exact {
namespace {

constexpr std::size_t kPricedClasses = 64;   // more are priced in groups
constexpr std::size_t kProvenClasses = 256;  // more are not told apart where nothing is searched
constexpr int kFirstRounds = 200;
constexpr int kLaterRounds = 60;
constexpr int kBeamDeadlines = 8;
constexpr std::size_t kBeamWidth = 16;
constexpr int kLowerDeadlines = 8;
constexpr int kPricedDeadlines = 12;

class Search {
 public:
  Search(const Instance& instance, Ticks lower, Ticks upper, SearchBudget& budget)
      : instance_(instance),
        found_{.lower = lower, .upper = upper},
        budget_(budget),
        priced_(coarsened(instance, kPricedClasses)),
        prices_(priced_, found_.upper),
        potential_(instance, prices_.worth()) {}

  /// A good schedule first: most of the work is to prove it optimal, and that is easier for an
  /// earlier deadline.
  void look_for_schedules() {
    Ticks too_early = found_.lower - 1;  // as far as is known or guessed
    for (int i = 0; i < kBeamDeadlines && !budget_.out_of_time(); ++i) {
      too_early = std::max(too_early, found_.lower - 1);
      if (found_.upper - too_early <= 1 + found_.upper / 1024) return;
      const Ticks deadline = too_early + (found_.upper - too_early) / 2;
      if (proven_too_early(deadline)) continue;
      SearchBudget part = budget_.part(10);
      if (!accept(beam_search(instance_, potential_, deadline, kBeamWidth, part))) {
        too_early = deadline;
      }
      budget_.add(part);
    }
  }

  /// Is there anything better than the best known? If so, take it and ask again.
  void search_below_upper(unsigned percent) {
    SearchBudget part = budget_.part(percent);
    while (open() && part.left() > 0 && !proven_too_early(found_.upper - 1)) {
      const SearchResult decision = list_search(instance_, potential_, found_.upper - 1, part);
      if (decision.answer == SearchAnswer::Stopped) break;
      if (!accept(decision)) found_.lower = found_.upper;
    }
    budget_.add(part);
  }

  /// Deadlines that are farther off are easier to refute.
  void raise_lower_by_search() {
    Ticks too_hard = found_.upper - 1;
    for (int i = 0; i < kLowerDeadlines && open() && !budget_.out_of_time(); ++i) {
      too_hard = std::min(too_hard, found_.upper - 1);
      const Ticks deadline = found_.lower + (too_hard - found_.lower) / 2;
      if (too_hard <= found_.lower) return;
      if (proven_too_early(deadline)) continue;
      SearchBudget part = budget_.part(25);
      const SearchResult decision = list_search(instance_, potential_, deadline, part);
      budget_.add(part);
      if (decision.answer == SearchAnswer::Stopped) {
        too_hard = deadline;
      } else if (!accept(decision)) {
        found_.lower = deadline + 1;
      }
    }
  }

  /// From below, so that the prices for one deadline are a good start for the next.
  void raise_lower_by_prices() {
    Ticks step = (found_.upper - found_.lower) / 4;
    for (int i = 0; i < kPricedDeadlines && step > 0 && open() && !budget_.out_of_time(); ++i) {
      const Ticks deadline = std::min(found_.lower + step, found_.upper - 1);
      if (!proven_too_early(deadline, kFirstRounds)) step /= 2;
    }
  }

  [[nodiscard]] bool open() const { return found_.lower < found_.upper; }
  [[nodiscard]] const DeadlineRange& result() const { return found_; }

  bool proven_too_early(Ticks deadline, int rounds = kLaterRounds) {
    ++found_.decisions;
    prices_.improve(deadline, rounds);
    potential_ = Potential(instance_, prices_.worth());
    found_.lower = std::max(found_.lower, potential_.too_early(instance_, found_.upper - 1) + 1);
    return found_.lower > deadline;
  }

 private:
  bool accept(const SearchResult& decision) {
    if (decision.answer != SearchAnswer::Found) return false;
    found_.upper = decision.finish;
    found_.order = decision.order;
    return true;
  }

  const Instance& instance_;
  DeadlineRange found_;
  SearchBudget& budget_;
  Instance priced_;
  PriceSearch prices_;
  Potential potential_;
};

}  // namespace

DeadlineRange search_deadlines(const Instance& instance, Ticks lower, Ticks upper,
                               SearchBudget& budget) {
  Search search(instance, lower, upper, budget);
  if (search.proven_too_early(upper - 1, kFirstRounds)) return search.result();
  search.look_for_schedules();
  search.search_below_upper(75);
  search.raise_lower_by_prices();
  search.raise_lower_by_search();
  return search.result();
}

DeadlineRange raise_lower_bound(const Instance& instance, Ticks lower, Ticks upper) {
  const Instance rough = coarsened(instance, kProvenClasses);
  SearchBudget no_search(0);
  Search search(rough, lower, upper, no_search);
  search.raise_lower_by_prices();
  return search.result();
}

}  // namespace espalier::tree::exact
