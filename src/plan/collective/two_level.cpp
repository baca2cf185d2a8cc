#include <fmt/format.h>

#include <bit>
#include <memory>

#include "collective/entries.hpp"
#include "collective/level_names.hpp"
#include "collective/multilevel_time.hpp"
#include "collective/name_reader.hpp"
#include "cost/least_rounds.hpp"
#include "topology/views.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

/// A machine seen as two levels, with its hierarchy.
struct TwoLevelView {
  TwoLevelView(const Hierarchy& whole, std::uint32_t depth)
      : machine(topology::two_level_view(whole.machine(), depth)), hierarchy(machine) {}
  topology::Machine machine;
  Hierarchy hierarchy;
};

/// Levels of a view by clusters of a depth that the machine has.
constexpr std::size_t kLevelsSeen = 2;

/// Bundles of more clusters go one by one through all ranks: worse than level by level, and long to
/// predict.
constexpr std::size_t kBundlesUpTo = 256;
/// With more ranks than these, plans over more than so many clusters are no candidates, and scans
/// are none at all: they take longer to predict than there is time.
constexpr Rank kManyRanks = 4096;
constexpr std::size_t kTreesUpTo = 256;
constexpr std::size_t kAllgathersUpTo = 64;

bool has_too_many_parts(const Hierarchy& hierarchy, std::uint32_t depth, const Collective& call) {
  const std::size_t clusters = hierarchy.shape().least.count(depth);
  const bool gathers = call.operation == Operation::Allgather;
  const bool scans = call.operation == Operation::Scan || call.operation == Operation::Exscan;
  if (gathers && clusters > kBundlesUpTo) return true;
  if (call.size <= kManyRanks) return false;
  return scans || clusters > (gathers ? kAllgathersUpTo : kTreesUpTo);
}

/// By each depth of clusters that the machine has, where that is not the machine itself.
std::vector<Parameters> two_level_proposals(const Hierarchy& hierarchy, const Collective& call) {
  const auto levels = static_cast<std::uint32_t>(hierarchy.machine().levels().size());
  std::vector<Parameters> all;
  for (std::uint32_t depth = 1; levels > 2 && depth < levels; ++depth) {
    if (has_too_many_parts(hierarchy, depth, call)) continue;
    MultilevelChoice choice{{{Shape::Flat, 0}, {Shape::Binomial, 0}}, Top::Tree, {}};
    if (call.operation == Operation::Alltoall) choice.levels.assign(kLevelsSeen, {});
    all.push_back(TwoLevelChoice{depth, std::move(choice)});
  }
  return all;
}

PartOf two_level_parts(const Hierarchy& hierarchy, const Collective& call,
                       const Parameters& parameters) {
  const auto& seen = std::get<TwoLevelChoice>(parameters);
  const auto view = std::make_shared<const TwoLevelView>(hierarchy, seen.depth);
  return [view, choice = seen.choice, &call](Rank rank) {
    return multilevel_program(view->hierarchy, choice, call, rank);
  };
}

Picos two_level_estimate(const CostView& cost_view, const Hierarchy& hierarchy,
                         const Collective& call, const Parameters& parameters) {
  const auto& seen = std::get<TwoLevelChoice>(parameters);
  const TwoLevelView view(hierarchy, seen.depth);
  const std::vector<double> own = bytes_of_segments(seen.choice, call);
  std::vector<double> segments;
  for (std::uint32_t l = 0; l < hierarchy.machine().levels().size(); ++l) {
    segments.push_back(l < seen.depth ? own.front() : own.back());
  }
  return multilevel_time(seen.choice, segments, cost_view, view.hierarchy, call,
                         call.commutative ? Partials::One : Partials::Runs);
}

/// From the root straight to all parts, binomial trees inside, whole messages.
bool is_usual(const TwoLevelChoice& seen) {
  const auto& levels = seen.choice.levels;
  return seen.choice.top == Top::Tree && levels[0] == LevelChoice{Shape::Flat, 0} &&
         levels[1] == LevelChoice{Shape::Binomial, 0};
}

/// On regular machines, by one of the parts and the last ranks of all.
std::optional<Picos> folded_two_level_scan(const TwoLevelChoice& seen, const FoldedMachine& machine,
                                           const Collective& call) {
  constexpr Rank kMostParts = 512;  // each sends to all that come after it
  const MachineShape& shape = machine.whole().shape();
  if (!shape.is_regular || shape.least.count(seen.depth) > kMostParts) return std::nullopt;
  const FoldedRuns runs(machine.whole(), machine.transport(), seen.depth);
  return folded_scan_time(seen.choice.levels, runs,
                          static_cast<double>(call.count * call.element.value));
}

std::optional<Picos> two_level_folded(const FoldedMachine& machine, const Collective& call,
                                      const Parameters& parameters) {
  const auto& seen = std::get<TwoLevelChoice>(parameters);
  if (!is_usual(seen)) return std::nullopt;
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) {
    return folded_two_level_scan(seen, machine, call);
  }
  return folded_two_level_time(seen.depth, machine, call);
}

/// Of an allgather: bundles go around all masters, and all of them down to every rank.
Picos least_two_level_allgather(const cost::LeastCosts& costs, const cost::LeastRounds& inside,
                                Rank ranks, std::uint32_t depth, bool in_order,
                                const Collective& call) {
  const double block = static_cast<double>(call.count) * static_cast<double>(call.element.value);
  const double all = block * call.size;
  const double bundle = block * ranks;
  Picos up = 0, down = 0;
  for (Rank half = std::bit_floor(ranks) / 2; half > 0; half /= 2) {
    up += inside.message(half, block);
    down += inside.message(half, bundle);
  }
  const double hops = costs.count(depth) - 1.0;
  const Picos each = costs.send(bundle) + costs.flow(1, bundle) + costs.recv(bundle);
  Picos across = hops * each;
  if (in_order) across += std::max(0.0, costs.turn(depth) - costs.longest());
  const double children = ranks > 1 ? std::bit_width(ranks - 1) : 0;
  const Picos busiest = costs.uplink_on(costs.innermost_of_all(), children * all + hops * bundle);
  return std::max(up + across + down, busiest) * (1 - 1e-9);
}

/// Of a scan: up to the last of a part, across from all parts elsewhere, and down again.
Picos least_two_level_scan(const cost::LeastCosts& costs, const cost::LeastRounds& inside,
                           Rank ranks, std::uint32_t depth, const Collective& call) {
  const double bytes = static_cast<double>(call.count) * static_cast<double>(call.element.value);
  const Picos combined = costs.combine(bytes);
  Picos up = 0, down = 0;
  if (ranks > 1) {
    up = inside.message(1, bytes);
    for (Rank half = 1; 2 * half <= ranks - 1; half *= 2) {
      up += inside.message(half, bytes) + combined;
    }
    down = (std::bit_width(ranks) - 1) * costs.message(1, bytes) + combined;
  }
  const Picos taken = costs.recv(bytes) + combined;
  const double parts = std::max<Rank>(1, costs.elsewhere(depth));
  return (up + costs.across(bytes) - costs.recv(bytes) + parts * taken + down) * (1 - 1e-9);
}

/// Some part lies across the outermost channel. Its master hears of the root straight away, and its
/// last rank along a binomial tree.
Picos two_level_least(const Hierarchy& hierarchy, const Collective& call,
                      const Parameters& parameters) {
  const auto& seen = std::get<TwoLevelChoice>(parameters);
  const MachineShape& shape = hierarchy.shape();
  if (call.operation == Operation::Alltoall && seen.depth == 1) {
    const auto block = static_cast<double>(call.count) * static_cast<double>(call.element.value);
    return least_bundled_alltoall(hierarchy, block) * (1 - 1e-9);
  }
  if (shape.smallest_outermost == call.size || !is_usual(seen)) return 0;  // nothing lies across
  auto bytes = static_cast<double>(call.count) * static_cast<double>(call.element.value);
  if (call.operation == Operation::ReduceScatter) bytes *= call.size;
  const Rank inside = shape.least.smallest(seen.depth);
  const cost::LeastRounds rounds(shape.least, inside, true);
  Picos inwards = 0;
  for (Rank half = std::bit_floor(inside) / 2; half > 0; half /= 2) {
    inwards += rounds.message(half, bytes);
  }
  // Of the parts across, one is the last that the root sends to, or hears from.
  const Rank others = std::max<Rank>(1, shape.least.elsewhere(seen.depth)) - 1;
  const Picos across = shape.least.across(bytes) + inwards;
  const Picos down = (across + others * shape.least.send(bytes)) * (1 - 1e-9);
  const Picos up = (across + others * shape.least.recv(bytes)) * (1 - 1e-9);
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Scatter:
      return down;
    case Operation::Reduce:
    case Operation::Gather:
    case Operation::ReduceScatter:
      return up;
    case Operation::Allreduce:
    case Operation::Barrier:
      return up + down;
    case Operation::Allgather:
      return least_two_level_allgather(shape.least, rounds, inside, seen.depth, shape.in_order,
                                       call);
    case Operation::Scan:
    case Operation::Exscan:
      return shape.in_order ? least_two_level_scan(shape.least, rounds, inside, seen.depth, call)
                            : 0;
    default:
      return 0;
  }
}

std::string two_level_text(const Collective& call, const Parameters& parameters) {
  const auto& seen = std::get<TwoLevelChoice>(parameters);
  return fmt::format("{} {}", seen.depth, name_of(seen.choice, call));
}

std::optional<Parameters> read_two_level(NameReader& reader, const Hierarchy& hierarchy) {
  const auto depth = reader.take_number();
  const std::size_t levels = hierarchy.machine().levels().size();
  if (!depth || *depth == 0 || *depth >= levels || !reader.take(" ")) return std::nullopt;
  auto choice = read_choice(reader, kLevelsSeen);
  if (!choice) return std::nullopt;
  return TwoLevelChoice{*depth, *std::move(choice)};
}

}  // namespace

constexpr Algorithm kTwoLevel{
    .name = "two-level at depth ",
    .source = "MagPIe: Kielmann et al., PPoPP 1999",
    .operations = kAnyOperation,
    .traits = {.keeps_rank_order = true, .scales = true, .meets_everybody = {Operation::Alltoall}},
    .propose = two_level_proposals,
    .build = two_level_parts,
    .estimate = two_level_estimate,
    .at_least = two_level_least,
    .estimate_folded = two_level_folded,
    .text = two_level_text,
    .read = read_two_level};

}  // namespace espalier::collective
