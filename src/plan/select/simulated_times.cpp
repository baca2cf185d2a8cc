#include "select/simulated_times.hpp"

#include <algorithm>
#include <cmath>

#include "base/progress.hpp"
#include "select/candidates.hpp"
#include "select/segments.hpp"
#include "sim/simulate_within.hpp"

namespace espalier::select {
namespace {

using schedule::Collective;

/// A plan is not simulated if it is predicted to take this many times the best simulated time, even
/// scaled by the lowest ratio of a simulated time to a predicted one so far.
constexpr double kNear = 1.25;
/// The same for the best of a kind: predictions of one kind err alike.
constexpr double kNearOfAKind = 1.6;
/// A plan that takes at most so many times as long as the first is also compared for the longest
/// call of the class.
constexpr double kAlikeInAClass = 1.03;
/// Pipelines of at most so many segments are simulated whole.
constexpr std::uint64_t kSegmentsWhole = 64;
/// A pipeline's pace is first taken from so many segments.
constexpr std::uint64_t kFewSegments = 8;
/// Steps that are simulated of a steady pipeline: one, then two, then three.
constexpr std::uint64_t kSteps = 6;
/// The messages of longer pipelines are counted by those of so many segments.
constexpr std::uint64_t kCountedSegments = 64;
/// Two steps of a steady pipeline differ by no more.
constexpr double kSteadyWithin = 0.02;

std::uint64_t sends_of(const schedule::Program& program) {
  std::uint64_t messages = 0;
  for (const schedule::Op& op : program.ops) {
    if (op.kind != schedule::OpKind::Send) continue;
    messages += op.peer != kNoRank ? 1 : program.sets[op.peers].size();
  }
  return messages;
}

/// With more ranks a choice is not worth a simulation: one plan would take all of its budget.
constexpr Rank kChoicesUpTo = 512;
/// Among so many, so many blocks that are told one by one cost as much as a message.
constexpr std::uint64_t kBlocksAMessage = 16;

/// What it costs to make and simulate a rank's part, in messages.
std::uint64_t cost_of(const schedule::Program& program, Rank ranks) {
  const std::uint64_t messages = sends_of(program);
  if (ranks <= kChoicesUpTo) return messages;
  std::uint64_t blocks = program.ops.size();
  for (const schedule::IndexSet& set : program.sets) blocks += set.size();
  return std::max(messages, blocks / kBlocksAMessage);
}

/// About as many messages as the plan has: those of four ranks stand for all. Fewer of them do if
/// they have more than `enough`.
std::uint64_t some_messages(const Plan& plan, const collective::Hierarchy& hierarchy,
                            const Collective& call, std::uint64_t enough) {
  const std::uint64_t size = call.size;
  const collective::PartOf part_of = parts_of(plan, hierarchy, call);
  std::uint64_t messages = 0;
  for (const std::uint64_t rank : {std::uint64_t{0}, size / 3, size / 2, size - 1}) {
    messages += cost_of(part_of(static_cast<Rank>(rank)), call.size);
    if (messages * size / 4 > enough) break;
  }
  return messages * size / 4 + 1;
}

/// What it costs to make and simulate all parts, in messages. A root may have as many as all others
/// together, so it is counted for itself; others are all looked at where that takes no longer than
/// to simulate some thousand messages.
std::uint64_t cost_of_all(const Plan& plan, const collective::Hierarchy& hierarchy,
                          const Collective& call, std::uint64_t enough) {
  constexpr std::uint64_t kLooked = std::uint64_t{1} << 18U;
  const collective::PartOf part_of = parts_of(plan, hierarchy, call);
  const auto part = [&](std::uint64_t rank) { return part_of(static_cast<Rank>(rank)); };
  const std::uint64_t size = call.size;
  const Rank root = schedule::has_root(call.operation) ? call.root : 0;
  const std::uint64_t at_root = cost_of(part(root), call.size);
  if (size == 1 || at_root > enough) return at_root;
  std::uint64_t some = 0, steps = 0, looked = 0;
  for (const std::uint64_t rank : {size / 3, size / 2, size - 1, std::uint64_t{0}}) {
    if (rank == root || looked == 3) continue;
    const schedule::Program one = part(rank);
    some += cost_of(one, call.size);
    steps += one.ops.size();
    for (const schedule::IndexSet& set : one.sets) steps += set.size();
    ++looked;
    if (at_root + some * (size - 1) / looked > enough) break;
  }
  if (at_root + some * (size - 1) / looked > enough || steps * size > kLooked) {
    return at_root + some * (size - 1) / looked;
  }
  std::uint64_t all = at_root;
  for (std::uint64_t rank = 0; rank < size; ++rank) {
    if (rank != root) all += cost_of(part(rank), call.size);
  }
  return all;
}

}  // namespace

std::uint64_t SimulatedTimes::messages_of(const Plan& plan, std::uint64_t enough) const {
  const std::uint64_t segment = segments_of(plan, call_).least;
  Collective call = call_;
  if (segment > 0) call.count = std::min(call.count, kCountedSegments * segment);
  if (call.count == call_.count) return cost_of_all(plan, hierarchy_, call, enough);
  const std::uint64_t times = (call_.count + call.count - 1) / call.count;
  return times * cost_of_all(plan, hierarchy_, call, enough / times);
}

std::uint64_t SimulatedTimes::charged_for(const Plan& plan, std::uint64_t count,
                                          std::uint64_t enough) const {
  const std::uint64_t segment = segments_of(plan, call_).least;
  Collective call = call_;
  call.count = segment == 0 ? count : std::min(count, kCountedSegments * segment);
  const std::uint64_t times = call.count == count ? 1 : count / call.count + 1;
  return times * some_messages(plan, hierarchy_, call, enough / times);
}

std::optional<sim::SimResult> SimulatedTimes::simulated(const Plan& plan, std::uint64_t count) {
  refusal_ = Refusal::Messages;
  if (budget_.left() == 0) return std::nullopt;  // counting messages takes time too
  if (!budget_.take_messages(charged_for(plan, count, budget_.left()))) return std::nullopt;
  refusal_ = Refusal::Sharing;
  Collective call = call_;
  call.count = count;
  sim::Budget part = budget_.part(most_of_one_);
  auto result = sim::simulate_within(part, call, parts_of(plan, hierarchy_, call),
                                     hierarchy_.machine(), options_);
  budget_.give_back(part);
  if (!result && Interruptible::is_interrupted()) refusal_ = Refusal::Interrupted;
  return result;
}

std::optional<Time> SimulatedTimes::time_of(const Plan& plan, std::uint64_t count) {
  const auto result = simulated(plan, count);
  if (!result) return std::nullopt;
  return result->finish;
}

std::optional<Time> SimulatedTimes::of(const Plan& plan) {
  const SegmentRange segments = segments_of(plan, call_);
  const std::uint64_t unit = segments.most;
  const auto entire = [&] { return time_of(plan, call_.count); };
  if (unit == 0 || call_.count <= kSegmentsWhole * segments.least ||
      call_.count <= kSteps * kFewSegments * unit) {
    return entire();
  }
  const auto first = time_of(plan, unit);
  const auto few = first ? time_of(plan, kFewSegments * unit) : std::nullopt;
  if (!few) return std::nullopt;
  // It is filled when segments have been sent for as long as the first one takes.
  const std::int64_t pace =
      (*few - *first).picoseconds / static_cast<std::int64_t>(kFewSegments - 1);
  if (pace <= 0) return entire();
  const auto filled = static_cast<std::uint64_t>(first->picoseconds / pace) + 1;
  const std::uint64_t step = std::max(kFewSegments, filled) * unit;
  if (call_.count <= kSteps * step) return entire();
  const auto one = step == kFewSegments * unit ? few : time_of(plan, step);
  const auto two = one ? time_of(plan, 2 * step) : std::nullopt;
  const auto three = two ? time_of(plan, 3 * step) : std::nullopt;
  if (!three) return std::nullopt;
  const auto before = static_cast<double>((*two - *one).picoseconds);
  const auto last = static_cast<double>((*three - *two).picoseconds);
  if (std::abs(last - before) > kSteadyWithin * last) return entire();
  const double more = static_cast<double>(call_.count - 3 * step) / static_cast<double>(step);
  return *three + nearest_time(more * last);
}

std::uint64_t worth_of_simulation(Time predicted, Rank ranks) {
  if (ranks > kChoicesUpTo) return 0;
  constexpr std::int64_t kPerMessage = 16 * 1'000'000;  // 16 us
  return static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(predicted.picoseconds / kPerMessage, 1 << 12, 1 << 14));
}

namespace {

/// The shape of the outermost tree.
collective::Shape outermost_tree(const collective::MultilevelChoice& choice) {
  const bool exchanges = choice.top == collective::Top::Exchange && choice.levels.size() > 1;
  return choice.levels[exchanges ? 1 : 0].shape;
}

/// Whether plans differ in what matters less: segments, of trees over levels all but the outermost
/// one, of stripes how they go across.
bool are_of_one_kind(const Plan& a, const Plan& b) {
  if (a.algorithm != b.algorithm) return false;
  const collective::MultilevelChoice *one = levels_of(a), *other = levels_of(b);
  if (one != nullptr && other != nullptr) {
    return one->top == other->top && outermost_tree(*one) == outermost_tree(*other);
  }
  const auto* stripes = std::get_if<collective::StripedChoice>(&a.parameters);
  const auto* others = std::get_if<collective::StripedChoice>(&b.parameters);
  if (stripes != nullptr && others != nullptr) return stripes->inside == others->inside;
  return are_alike(a, b);
}

/// Indices of plans: the first of each kind, then all others.
struct Turns {
  std::vector<std::size_t> order;
  std::size_t kinds = 0;
};

Turns kinds_first(const std::vector<Choice>& ranked) {
  Turns turns;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto is_like = [&](std::size_t k) {
      return are_of_one_kind(ranked[k].plan, ranked[i].plan);
    };
    const bool is_known = std::any_of(turns.order.begin(), turns.order.end(), is_like);
    (is_known ? others : turns.order).push_back(i);
  }
  turns.kinds = turns.order.size();
  turns.order.insert(turns.order.end(), others.begin(), others.end());
  return turns;
}

}  // namespace

std::vector<Choice> settled_by_simulation(std::vector<Choice> ranked, SimulatedTimes& times,
                                          SimulatedTimes& reserve) {
  std::vector<bool> is_simulated(ranked.size(), false);
  auto fastest = static_cast<double>(kForever.picoseconds);
  double lowest_ratio = 1;  // of a simulated time to the predicted one
  const Turns turns = kinds_first(ranked);
  for (std::size_t turn = 0; turn < turns.order.size(); ++turn) {
    Choice& choice = ranked[turns.order[turn]];
    const auto predicted = static_cast<double>(choice.predicted.picoseconds);
    const double near = turn < turns.kinds ? kNearOfAKind : kNear;
    auto from_root =
        lowest_ratio * predicted <= near * fastest ? times.of(choice.plan) : std::nullopt;
    const bool may_lead = turn > 0 && lowest_ratio * predicted < fastest;
    if (!from_root && may_lead) from_root = reserve.of(choice.plan);
    if (!from_root) continue;
    const double takes = static_cast<double>(from_root->picoseconds) * choice.over_roots;
    fastest = std::min(fastest, takes);
    if (predicted > 0) lowest_ratio = std::min(lowest_ratio, takes / predicted);
    choice.predicted = nearest_time(takes);
    is_simulated[turns.order[turn]] = true;
  }
  std::vector<Choice> simulated, others;
  const bool leads = !ranked.empty() && !is_simulated.front() &&
                     static_cast<double>(ranked.front().predicted.picoseconds) <= fastest;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool comes_first = is_simulated[i] || (i == 0 && leads);
    (comes_first ? simulated : others).push_back(std::move(ranked[i]));
  }
  std::stable_sort(simulated.begin(), simulated.end(),
                   [](const Choice& a, const Choice& b) { return a.predicted < b.predicted; });
  std::move(others.begin(), others.end(), std::back_inserter(simulated));
  return simulated;
}

void settle_for_class(std::vector<Choice>& ranked, SimulatedTimes& longest) {
  struct Known {
    std::size_t index;
    double takes, at_end;
  };
  const auto picoseconds = [](Time time) { return static_cast<double>(time.picoseconds); };
  std::vector<Known> known;
  double least_at_end = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const Choice& choice = ranked[i];
    if (picoseconds(choice.predicted) > kAlikeInAClass * picoseconds(ranked.front().predicted)) {
      break;
    }
    const auto is_like = [&](const Known& one) {
      return are_of_one_kind(ranked[one.index].plan, choice.plan);
    };
    if (std::any_of(known.begin(), known.end(), is_like)) continue;
    const auto at_end = longest.of(choice.plan);
    if (!at_end && i == 0) return;
    if (!at_end) continue;
    known.push_back({i, picoseconds(choice.predicted), picoseconds(*at_end) * choice.over_roots});
    if (i == 0) least_at_end = known.back().at_end;
    least_at_end = std::min(least_at_end, known.back().at_end);
  }
  if (known.size() < 2) return;
  const auto loses = [&](const Known& one) {
    return std::max(one.takes / known.front().takes, one.at_end / least_at_end);
  };
  const auto best =
      std::min_element(known.begin(), known.end(),
                       [&](const Known& a, const Known& b) { return loses(a) < loses(b); });
  const auto from = ranked.begin() + static_cast<std::ptrdiff_t>(best->index);
  std::rotate(ranked.begin(), from, from + 1);
}

}  // namespace espalier::select
