#include "select/segments.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/match.hpp"

namespace espalier::select {
namespace {

/// The plan with change(segment) in place of every segment size; 0 is a whole message.
template <typename Change>
Plan with_segments(Plan plan, Change change) {
  const auto change_levels = [&](collective::MultilevelChoice& choice) {
    for (collective::LevelChoice& level : choice.levels) level.segment = change(level.segment);
  };
  std::visit(Match{[](collective::RankOrder&) {},
                   [&](collective::LevelChoice& tree) { tree.segment = change(tree.segment); },
                   [&](collective::MultilevelChoice& choice) { change_levels(choice); },
                   [&](collective::StripedChoice& striped) {
                     striped.tree.segment = change(striped.tree.segment);
                   },
                   [&](collective::TwoLevelChoice& seen) { change_levels(seen.choice); }},
             plan.parameters);
  return plan;
}

std::uint64_t rescaled(std::uint64_t segment, Bytes from, Bytes to) {
  if (segment == 0) return 0;
  return std::max<std::uint64_t>(1, segment * from.value / std::max<std::uint64_t>(1, to.value));
}

}  // namespace

bool are_alike(Plan a, Plan b) {
  const auto forget = [](std::uint64_t) { return std::uint64_t{0}; };
  return with_segments(std::move(a), forget) == with_segments(std::move(b), forget);
}

Plan in_elements(Plan plan, Bytes from, Bytes to) {
  return with_segments(std::move(plan),
                       [&](std::uint64_t segment) { return rescaled(segment, from, to); });
}

SegmentRange segments_of(const Plan& plan, const schedule::Collective& call) {
  SegmentRange range;
  const auto note = [&](std::uint64_t segment) {
    if (segment == 0) return segment;
    range.least = range.least == 0 ? segment : std::min(range.least, segment);
    range.most = std::max(range.most, segment);
    return segment;
  };
  with_segments(plan, note);
  const std::uint64_t always = plan.algorithm->traits.always_cuts_to;
  if (always != 0) {
    const std::uint64_t element = std::max<std::uint64_t>(1, call.element.value);
    note(std::max<std::uint64_t>(1, always / element));
  }
  return range;
}

std::uint64_t first_segment(const Plan& plan) {
  std::optional<std::uint64_t> first;
  with_segments(plan, [&](std::uint64_t segment) { return first ? segment : *(first = segment); });
  return first.value_or(0);
}

Plan with_usable_segments(const Plan& plan, const schedule::Collective& call,
                          const Transport& transport, const TimeOfPlan& simulated,
                          const TimeOfPlan& predicted) {
  const std::uint64_t part = transport.part_bytes;
  const auto cut = [&](std::uint64_t segment) {
    if (call.count <= part) return segment;
    return segment == 0 ? part : std::min(segment, part);
  };
  const auto double_it = [&](std::uint64_t segment) {
    if (2 * segment >= call.count) return std::uint64_t{0};
    return std::min(2 * segment, part);
  };
  Plan best = with_segments(plan, cut);
  if (best == plan && with_segments(best, double_it) == best) return plan;
  // Of the plan as it is; the predicted one when it is asked for.
  const std::optional<Time> simulated_before = simulated(plan);
  std::optional<std::optional<Time>> predicted_before;
  const auto is_near = [](Time before, Time now) { return now <= lengthened(before, 64); };
  const auto costs_little = [&](const Plan& other) {
    if (simulated_before) {
      if (const auto now = simulated(other)) return is_near(*simulated_before, *now);
    }
    if (!predicted_before) predicted_before = predicted(plan);
    if (!*predicted_before) return false;
    const auto now = predicted(other);
    return now && is_near(**predicted_before, *now);
  };
  if (!(best == plan) && !costs_little(best)) return plan;
  for (;;) {
    Plan longer = with_segments(best, double_it);
    if (longer == best || !costs_little(longer)) return best;
    best = std::move(longer);
  }
}

std::uint64_t uncut_up_to(const Plan& plan) {
  if (!plan.algorithm->traits.scales) return 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  with_segments(plan, [&](std::uint64_t segment) {
    if (segment != 0) least = std::min(least, segment);
    return segment;
  });
  return least;
}

}  // namespace espalier::select
