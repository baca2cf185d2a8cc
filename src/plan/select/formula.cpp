#include "select/formula.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "select/segments.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using topology::Cluster;
using topology::Machine;

constexpr double kStep = 1e-3;
/// With more ranks the predictions that limits() takes would take too long.
constexpr Rank kLimitsUpTo = 1024;

/// The first cluster whose members are joined at this level: its figures stand for the level's.
const Cluster* first_of_level(const Machine& machine, std::size_t level) {
  for (const Cluster& c : machine.clusters()) {
    if (c.depth == level) return &c;
  }
  return nullptr;
}

/// The narrowest of what two members of the cluster pass on this level.
Bandwidth bandwidth_of(const Machine& machine, const Cluster& cluster) {
  const topology::Member& first = machine.members(cluster).front();
  const topology::Uplink& uplink =
      first.is_leaf ? machine.leaf_uplink(first.id) : machine.clusters()[first.id].uplink;
  Bandwidth least = kUnlimited;
  for (const Bandwidth each : {uplink.out, cluster.channel.backbone, cluster.channel.flow_cap}) {
    if (!each.unlimited() && (least.unlimited() || each.bits_per_second < least.bits_per_second)) {
      least = each;
    }
  }
  return least;
}

double predicted(const Plan& plan, const Hierarchy& hierarchy, const Collective& call,
                 std::span<const CostScale> scales, double processor = 1) {
  const CostView cost_view(hierarchy.machine(), scales, processor);
  return static_cast<double>(predict(plan, cost_view, hierarchy, call).picoseconds);
}

Time time_of(double picoseconds) { return Time{static_cast<std::int64_t>(picoseconds)}; }

}  // namespace

Formula formula(const Plan& plan, const Hierarchy& hierarchy, const Collective& call) {
  const Machine& machine = hierarchy.machine();
  const std::vector<CostScale> as_it_is(machine.levels().size());
  const double now = predicted(plan, hierarchy, call, as_it_is);
  const auto contribution = [&](double changed) { return (changed - now) / kStep; };
  Formula found;
  const double bytes = static_cast<double>(call.count * call.element.value);
  for (std::size_t l = 0; l < machine.levels().size(); ++l) {
    const Cluster* cluster = first_of_level(machine, l);
    auto scales = as_it_is;
    scales[l].latency += kStep;
    const double latency = contribution(predicted(plan, hierarchy, call, scales));
    scales = as_it_is;
    scales[l].per_byte += kStep;
    const double transfer = contribution(predicted(plan, hierarchy, call, scales));
    Formula::Level level{0, 0, time_of(latency), time_of(transfer)};
    const auto unit = static_cast<double>(cluster->channel.latency.picoseconds);
    if (unit > 0) level.latencies = latency / unit;
    const Bandwidth bandwidth = bandwidth_of(machine, *cluster);
    if (!bandwidth.unlimited() && bytes > 0) {
      level.transfers = transfer / (8e12 * bytes / static_cast<double>(bandwidth.bits_per_second));
    }
    found.levels.push_back(level);
  }
  found.from_processors =
      time_of(contribution(predicted(plan, hierarchy, call, as_it_is, 1 + kStep)));
  return found;
}

/// As a formula calls a level: its channel, else its members, else its number.
std::string symbol(const Machine& machine, std::size_t level) {
  const topology::LevelName& name = machine.levels()[level];
  if (!name.channel.empty()) return name.channel;
  return name.members.empty() ? fmt::format("{}", level) : name.members;
}

std::string to_string(const Formula& formula, const Machine& machine) {
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
  for (std::size_t l = 0; l < formula.levels.size(); ++l) {
    const Formula::Level& level = formula.levels[l];
    const std::string name = symbol(machine, l);
    if (level.latencies >= 0.005) add(fmt::format("{:.2f} L_{}", level.latencies, name));
  }
  for (std::size_t l = 0; l < formula.levels.size(); ++l) {
    const Formula::Level& level = formula.levels[l];
    const std::string name = symbol(machine, l);
    if (level.transfers >= 0.005) add(fmt::format("{:.2f} m/B_{}", level.transfers, name));
  }
  if (formula.from_processors > Time{0}) {
    add(fmt::format("{} of processors", rounded(formula.from_processors)));
  }
  return text.empty() ? "0" : text;
}

std::vector<Limit> limits(const std::vector<Choice>& ranked, const Hierarchy& hierarchy,
                          const Collective& call) {
  constexpr std::size_t kTried = 12;
  constexpr double kFarthest = 1000, kGrowth = 1.25;
  const Machine& machine = hierarchy.machine();
  const Time own = machine.clusters().front().channel.latency;
  std::vector<Limit> found;
  if (own <= Time{0} || machine.size() > kLimitsUpTo) return found;
  // Plans that differ in more than their segments and are no faster as it is.
  std::vector<const Plan*> others;
  for (std::size_t i = 1; i < ranked.size() && others.size() < kTried; ++i) {
    if (ranked[i].predicted < ranked.front().predicted) continue;
    if (!are_alike(ranked[i].plan, ranked.front().plan)) others.push_back(&ranked[i].plan);
  }
  const std::size_t tried = others.size();
  // The first of the others that is faster by more than a rounding, or `tried`.
  const auto faster_at = [&](double factor) {
    std::vector<CostScale> scales(machine.levels().size());
    scales.front().latency = factor;
    const CostView cost_view(machine, scales);
    const double mine =
        static_cast<double>(predict(ranked.front().plan, cost_view, hierarchy, call).picoseconds);
    std::size_t best = tried;
    double least = mine * (1 - 1e-6);
    for (std::size_t i = 0; i < tried; ++i) {
      const auto other =
          static_cast<double>(predict(*others[i], cost_view, hierarchy, call).picoseconds);
      if (other >= least) continue;
      least = other;
      best = i;
    }
    return best;
  };
  for (const bool below : {true, false}) {
    double near = 1, far = 1;
    while (faster_at(far) == tried && far < kFarthest && far > 1 / kFarthest) {
      near = far;
      far = below ? far / kGrowth : far * kGrowth;
    }
    if (faster_at(far) == tried) continue;
    for (int i = 0; i < 20; ++i) {
      const double middle = (near + far) / 2;
      (faster_at(middle) == tried ? near : far) = middle;
    }
    found.push_back({time_of(static_cast<double>(own.picoseconds) * far), below,
                     name_of(*others[faster_at(far)], call)});
  }
  return found;
}

}  // namespace espalier::select
