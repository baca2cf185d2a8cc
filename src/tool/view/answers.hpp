#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "overlay/overlay.hpp"
#include "schedule/schedule.hpp"
#include "select/chooser.hpp"
#include "topology/machine.hpp"
#include "view/query.hpp"

namespace espalier::view {

/// What is shown: a machine, and a schedule from a file or a call that ran, if there is one.
struct Subject {
  topology::Machine machine;
  std::string name;  ///< the machine as the user named it
  std::optional<schedule::Schedule> schedule = {};
  std::optional<overlay::Overlay> measured = {};  ///< a call that ran on this machine
  Query first = {};        ///< the call and plan that the page shows when it is opened
  std::string about = {};  ///< the placement in a sentence; empty: no placement is shown
};

/// With more processes no plan is simulated: that would take too long for a page.
inline constexpr Rank kViewedUpTo = 2048;
/// A plan of more messages has no timeline.
inline constexpr std::uint64_t kMostDrawn = std::uint64_t{1} << 16U;

/// Messages that are simulated for times of plans that are not shown: some ten milliseconds.
inline constexpr std::uint64_t kTableMessages = std::uint64_t{1} << 16U;

/// How much work an answer is worth.
struct AnswerLimits {
  std::uint64_t drawn = kMostDrawn;      ///< most messages of a plan that has a timeline
  std::uint64_t table = kTableMessages;  ///< simulations of plans that are not shown, in messages
};

/// A plan as the page shows it.
struct ShownPlan {
  std::string document;  ///< espalier-view-plan-1
  std::uint64_t messages = 0;
  bool has_timeline = false;
  bool never_ends = false;  ///< it is the schedule of the file, and some ranks wait for ever
  std::vector<std::string> others;  ///< candidates but the chosen one, the best first
};

/// Answers the page's questions by the same functions that `espalier plan`, `espalier simulate` and
/// the library call: the chooser, the ranking, the simulator, the lower bound.
///
/// The machines of the last what-ifs are kept with their choosers, so moving the size is cheap; of
/// each the table of the last call, so showing another of its plans is. Not thread-safe.
class Answers {
 public:
  explicit Answers(Subject subject);
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  [[nodiscard]] const Subject& subject() const { return subject_; }

  /// The machine, the operations, and what to show first.
  [[nodiscard]] std::string overview() const;
  /// The candidates, the bound and a timeline of one of them. An error if there is no such plan.
  Expected<std::string> plan(const Query& query);
  /// The same, with what the document holds; without a timeline if the plan has more messages.
  Expected<ShownPlan> shown(const Query& query, const AnswerLimits& limits = {});

  /// The name under which the schedule of the file stands among the candidates.
  static constexpr std::string_view kFromFile = "schedule from the file";
  /// The name under which the call that ran stands among the candidates.
  static constexpr std::string_view kMeasured = "measured call";

 private:
  struct Site;
  Site& site_of(const Changes& changes);

  Subject subject_;
  std::vector<std::unique_ptr<Site>> sites_;  ///< the last one used first
};

}  // namespace espalier::view
