#include "select/segments.hpp"

#include <algorithm>
#include <limits>

namespace espalier::select {
namespace {

/// The plan with change(segment) in place of every segment size; 0 is a whole message.
template <typename Change>
Plan with_segments(Plan plan, Change change) {
  const auto change_levels = [&](collective::MultilevelChoice& choice) {
    for (collective::LevelChoice& level : choice.levels) level.segment = change(level.segment);
  };
  if (auto* choice = std::get_if<collective::MultilevelChoice>(&plan)) {
    change_levels(*choice);
  } else if (auto* striped = std::get_if<collective::StripedChoice>(&plan)) {
    striped->tree.segment = change(striped->tree.segment);
  } else if (auto* two_level = std::get_if<TwoLevel>(&plan)) {
    change_levels(two_level->choice);
  } else if (auto* fixed = std::get_if<FixedOrder>(&plan)) {
    change_levels(fixed->choice);
  } else if (auto* tree = std::get_if<BlindTree>(&plan)) {
    tree->segment = change(tree->segment);
  }
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
  const auto* classical = std::get_if<Classical>(&plan);
  if (classical != nullptr && classical->name == "double-tree") {
    note(collective::double_tree_segment(call));
  }
  return range;
}

Plan with_usable_segments(const Plan& plan, const schedule::Collective& call,
                          const std::function<Time(const Plan&)>& time_of) {
  const auto cut = [&](std::uint64_t segment) {
    if (call.count <= kEagerBytes) return segment;
    return segment == 0 ? kEagerBytes : std::min(segment, kEagerBytes);
  };
  const auto double_it = [&](std::uint64_t segment) {
    if (2 * segment >= call.count) return std::uint64_t{0};
    return std::min(2 * segment, kEagerBytes);
  };
  Plan best = with_segments(plan, cut);
  if (best == plan && with_segments(best, double_it) == best) return plan;
  const Time takes = time_of(plan);
  const Time limit{takes.picoseconds + takes.picoseconds / 64};
  if (!(best == plan) && time_of(best) > limit) return plan;
  for (;;) {
    Plan longer = with_segments(best, double_it);
    if (longer == best || time_of(longer) > limit) return best;
    best = std::move(longer);
  }
}

std::uint64_t uncut_up_to(const Plan& plan) {
  if (std::holds_alternative<collective::StripedChoice>(plan) ||
      std::holds_alternative<SpeedTree>(plan) ||  // its shape may depend on the size
      std::holds_alternative<Classical>(plan) || std::holds_alternative<AlongTree>(plan)) {
    return 0;
  }
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  with_segments(plan, [&](std::uint64_t segment) {
    if (segment != 0) least = std::min(least, segment);
    return segment;
  });
  return least;
}

}  // namespace espalier::select
