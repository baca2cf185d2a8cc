#include "runtime/segments.hpp"

#include <algorithm>
#include <limits>

namespace espalier::runtime {
namespace {

constexpr std::int64_t kHandshakeLatencies = 4;

/// Calls change(segment) for every segment size of a plan; 0 is a whole message.
template <typename Change>
select::Plan with_segments(select::Plan plan, Change change) {
  if (auto* choice = std::get_if<collective::MultilevelChoice>(&plan)) {
    for (auto& level : choice->levels) level.segment = change(level.segment);
  } else if (auto* striped = std::get_if<collective::StripedChoice>(&plan)) {
    striped->tree.segment = change(striped->tree.segment);
  } else if (auto* two_level = std::get_if<select::TwoLevel>(&plan)) {
    for (auto& level : two_level->choice.levels) level.segment = change(level.segment);
  } else if (auto* fixed = std::get_if<select::FixedOrder>(&plan)) {
    for (auto& level : fixed->choice.levels) level.segment = change(level.segment);
  } else if (auto* tree = std::get_if<select::BlindTree>(&plan)) {
    tree->segment = change(tree->segment);
  }
  return plan;
}

Time longest_latency(const topology::Machine& machine) {
  Time longest{};
  for (const topology::Cluster& cluster : machine.clusters()) {
    longest = std::max(longest, cluster.channel.latency);
  }
  return longest;
}

}  // namespace

select::Plan with_usable_segments(const select::Plan& plan, const select::Chooser& chooser,
                                  const topology::Machine& machine,
                                  const schedule::Collective& call) {
  if (call.count <= kEagerBytes) return plan;
  select::Plan best = with_segments(plan, [](std::uint64_t segment) {
    return segment == 0 ? kEagerBytes : std::min(segment, kEagerBytes);
  });
  const Time handshakes{kHandshakeLatencies * longest_latency(machine).picoseconds};
  const Time predicted = chooser.predict(best, call);
  if (predicted > chooser.predict(plan, call) + handshakes) return plan;
  const Time limit{predicted.picoseconds + predicted.picoseconds / 64};
  for (;;) {
    select::Plan longer = with_segments(
        best, [](std::uint64_t segment) { return std::min(2 * segment, kEagerBytes); });
    if (longer == best || chooser.predict(longer, call) > limit) return best;
    best = std::move(longer);
  }
}

std::uint64_t uncut_up_to(const select::Plan& plan) {
  if (std::holds_alternative<collective::StripedChoice>(plan) ||
      std::holds_alternative<select::SpeedTree>(plan) ||  // its shape may depend on the size
      std::holds_alternative<select::Classical>(plan) ||
      std::holds_alternative<select::AlongTree>(plan)) {
    return 0;
  }
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  with_segments(plan, [&](std::uint64_t segment) {
    if (segment != 0) least = std::min(least, segment);
    return segment;
  });
  return least;
}

}  // namespace espalier::runtime
