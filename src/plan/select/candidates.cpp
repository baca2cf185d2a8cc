#include "select/candidates.hpp"

#include <algorithm>
#include <memory>

#include "base/contract.hpp"
#include "collective/flat_algorithms.hpp"
#include "collective/partition.hpp"
#include "select/speed_tree.hpp"
#include "topology/views.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using collective::Top;
using schedule::Collective;
using schedule::Operation;

bool moves_a_vector(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Reduce ||
         operation == Operation::Allreduce;
}

Candidate candidate(Plan plan, std::string why, const Hierarchy& hierarchy,
                    const Collective& call) {
  return candidate_of(std::move(plan), hierarchy, call, std::move(why));
}

/// One leader a cluster, a few, or all; and as many stripes.
void add_bundled(std::vector<Candidate>& all, const Hierarchy& hierarchy, const Collective& call) {
  const std::size_t levels = hierarchy.machine().levels().size();
  if (levels == 1) return;  // every process a cluster: direct
  const Rank most = collective::outermost_clusters(hierarchy.machine()).largest();
  std::vector<collective::Carriers> tried{{1, 1}};
  for (const Rank leaders : {Rank{4}, most}) {
    if (leaders <= 1 || leaders > most || tried.back().leaders == leaders) continue;
    tried.push_back({leaders, 1});
    tried.push_back({leaders, leaders});
  }
  for (const collective::Carriers& carriers : tried) {
    MultilevelChoice choice{std::vector<LevelChoice>(levels), Top::Tree, carriers};
    all.push_back(
        candidate(choice, "one bundle for each pair of outermost clusters", hierarchy, call));
  }
}

/// The most members that a cluster of these depths has.
Rank widest(const topology::Machine& machine, std::uint32_t from, std::uint32_t to) {
  Rank most = 0;
  for (const topology::Cluster& cluster : machine.clusters()) {
    if (cluster.depth < from || cluster.depth >= to) continue;
    most = std::max(most, static_cast<Rank>(cluster.member_count));
  }
  return most;
}

/// Levels that are wide enough for trees of radix 4 and 8. On many ranks for whole messages only,
/// since pipelines want few children.
void add_wide_trees(std::vector<Candidate>& all, const Hierarchy& hierarchy, const Collective& call,
                    bool rootless) {
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) return;
  const auto levels = static_cast<std::uint32_t>(hierarchy.machine().levels().size());
  const Rank outside = widest(hierarchy.machine(), 0, 1);
  const Rank inside = widest(hierarchy.machine(), 1, levels);
  constexpr Rank kPipelinesUpTo = 64;
  const std::vector<std::uint64_t> segments =
      call.size <= kPipelinesUpTo ? segments_for(call) : std::vector<std::uint64_t>{0};
  const auto add = [&](Top top, Shape outer, Shape inner) {
    for (const std::uint64_t segment : segments) {
      MultilevelChoice choice{std::vector<LevelChoice>(levels, {inner, segment}), top, {}};
      choice.levels.front().shape = outer;
      all.push_back(
          candidate(choice, "level by level over the masters of each cluster", hierarchy, call));
    }
  };
  for (const Shape wide : {Shape::Quadnomial, Shape::Octonomial}) {
    if (collective::radix_of(wide) < outside)
      add(Top::Tree, wide, levels == 1 ? wide : Shape::Flat);
    if (levels == 1 || collective::radix_of(wide) >= inside) continue;
    for (const Shape outer : {Shape::Flat, Shape::Binomial}) add(Top::Tree, outer, wide);
    if (collective::radix_of(wide) < outside) add(Top::Tree, wide, wide);
    if (rootless) add(Top::Exchange, Shape::Flat, wide);
  }
}

/// The outermost level in each shape, the levels below in each, one segment size for all.
void add_multilevel(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                    const Collective& call) {
  if (!collective::multilevel_supports(call)) return;
  if (call.operation == Operation::Alltoall) return add_bundled(all, hierarchy, call);
  const std::size_t levels = hierarchy.machine().levels().size();
  const bool rootless =
      call.operation == Operation::Allreduce || call.operation == Operation::Barrier ||
      call.operation == Operation::Allgather || call.operation == Operation::ReduceScatter;
  for (const Top top : {Top::Tree, Top::Exchange}) {
    if (top == Top::Exchange && !rootless) continue;
    for (const Shape outer : {Shape::Flat, Shape::Chain, Shape::Binomial}) {
      if (top == Top::Exchange && outer != Shape::Flat) continue;  // it has no tree there
      for (const Shape inner : {Shape::Flat, Shape::Chain, Shape::Binary, Shape::Binomial}) {
        if (levels == 1 && inner != outer) continue;
        for (const std::uint64_t segment : segments_for(call)) {
          MultilevelChoice choice{std::vector<LevelChoice>(levels, {inner, segment}), top, {}};
          choice.levels.front().shape = outer;
          all.push_back(candidate(choice, "level by level over the masters of each cluster",
                                  hierarchy, call));
        }
      }
    }
  }
  add_wide_trees(all, hierarchy, call, rootless);
}

/// Several leaders a cluster.
void add_striped(std::vector<Candidate>& all, const Hierarchy& hierarchy, const Collective& call) {
  using collective::Across;
  using collective::Inside;
  if (hierarchy.machine().levels().size() == 1) return;
  const bool tree = call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
  const auto add = [&](const collective::StripedChoice& choice) {
    if (!collective::striped_supports(hierarchy, choice, call)) return;
    all.push_back(
        candidate(choice, "every cluster has several leaders, each for a part", hierarchy, call));
  };
  for (const Inside inside : {Inside::Ring, Inside::Halving}) {
    if (tree) {
      for (const Shape shape : {Shape::Flat, Shape::Binomial}) {
        add({0, inside, Across::Exchange, {shape, 0}});
      }
    } else if (call.operation == Operation::Allreduce) {
      for (const Across across :
           {Across::Exchange, Across::RecursiveDoubling, Across::Halving, Across::Ring}) {
        add({0, inside, across, {Shape::Flat, 0}});
      }
    } else {
      add({0, inside, Across::Exchange, {Shape::Flat, 0}});
    }
  }
}

/// MagPIe's: by each depth of clusters that the machine has, where that is not the machine itself.
void add_two_level(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                   const Collective& call) {
  if (!collective::multilevel_supports(call)) return;
  const auto levels = static_cast<std::uint32_t>(hierarchy.machine().levels().size());
  for (std::uint32_t depth = 1; levels > 2 && depth < levels; ++depth) {
    const auto view = std::make_shared<const topology::Machine>(
        topology::two_level_view(hierarchy.machine(), depth));
    const auto seen = std::make_shared<const Hierarchy>(*view);
    MultilevelChoice choice{{{Shape::Flat, 0}, {Shape::Binomial, 0}}, Top::Tree, {}};
    choice.levels.resize(view->levels().size());
    if (call.operation == Operation::Alltoall) choice.levels.assign(choice.levels.size(), {});
    Candidate baseline =
        candidate(TwoLevel{depth, choice}, "MagPIe: Kielmann et al., PPoPP 1999", hierarchy, call);
    baseline.program_of = [view, seen, choice, &call](Rank rank) {
      return multilevel_program(*seen, choice, call, rank);
    };
    all.push_back(std::move(baseline));
  }
}

void add_blind_trees(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                     const Collective& call) {
  const bool down = call.operation == Operation::Broadcast;
  const bool up = call.operation == Operation::Reduce && call.commutative;
  if (!down && !up) return;
  for (const Shape shape : {Shape::Flat, Shape::Chain, Shape::Binomial}) {
    for (const std::uint64_t segment : segments_for(call)) {
      all.push_back(candidate(BlindTree{shape, segment}, "one tree over all ranks by number",
                              hierarchy, call));
    }
  }
  for (const Shape wide : {Shape::Quadnomial, Shape::Octonomial}) {
    if (collective::radix_of(wide) >= call.size) continue;
    all.push_back(
        candidate(BlindTree{wide, 0}, "one tree over all ranks by number", hierarchy, call));
  }
}

/// Where some send faster than others.
void add_speed_trees(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                     const Collective& call) {
  if (call.operation != Operation::Broadcast || !has_unequal_senders(hierarchy.machine())) return;
  for (const char* name : {"fnf", "spoc"}) {
    all.push_back(
        candidate(SpeedTree{name}, "Banikazemi, Moorthy, Panda, ICPP 1998", hierarchy, call));
  }
}

void add_classical(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                   const Collective& call) {
  for (const collective::FlatAlgorithm& algorithm : collective::flat_algorithms()) {
    if (algorithm.operation != call.operation || !algorithm.applicable(call)) continue;
    if (!call.commutative && !algorithm.keeps_rank_order) continue;
    all.push_back(candidate(Classical{std::string(algorithm.name)}, std::string(algorithm.source),
                            hierarchy, call));
  }
}

/// Those of add_multilevel() in the reference order.
void add_fixed_order(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                     const Collective& call) {
  const std::size_t levels = hierarchy.machine().levels().size();
  for (const Shape outer : {Shape::Flat, Shape::Chain, Shape::Binomial}) {
    for (const Shape inner : {Shape::Flat, Shape::Chain, Shape::Binary, Shape::Binomial}) {
      if (levels == 1 && inner != outer) continue;
      for (const std::uint64_t segment : segments_for(call)) {
        MultilevelChoice choice{std::vector<LevelChoice>(levels, {inner, segment}), Top::Tree, {}};
        choice.levels.front().shape = outer;
        all.push_back(
            candidate(FixedOrder{choice}, "in the reference order of the ranks", hierarchy, call));
      }
    }
  }
}

void add_along_tree(std::vector<Candidate>& all, const Hierarchy& hierarchy,
                    const Collective& call) {
  for (const collective::FlatAlgorithm& algorithm : collective::flat_algorithms()) {
    if (algorithm.operation != call.operation || !algorithm.applicable(call)) continue;
    if (!collective::along_tree_supports(hierarchy.machine(), algorithm, call)) continue;
    all.push_back(candidate(AlongTree{std::string(algorithm.name)},
                            "the same with ranks as they lie in the machine", hierarchy, call));
  }
}

}  // namespace

Candidate candidate_of(Plan plan, const Hierarchy& hierarchy, const Collective& call,
                       std::string why) {
  Candidate made{plan, name_of(plan, call), std::move(why), knows_topology(plan), {}};
  made.program_of = [&hierarchy, &call, plan = std::move(plan)](Rank rank) {
    return own_part(plan, hierarchy, call, rank);
  };
  return made;
}

std::vector<std::uint64_t> segments_for(const Collective& call) {
  std::vector<std::uint64_t> segments{0};
  if (!moves_a_vector(call.operation) || call.element.value == 0) return segments;
  const std::uint64_t bytes = call.count * call.element.value;
  for (const std::uint64_t segment : {kShortSegment, 2 * kShortSegment}) {
    if (segment >= bytes || bytes > kShortOfSegments) continue;
    segments.push_back(std::max<std::uint64_t>(1, segment / call.element.value));
  }
  for (std::uint64_t segment = 4096; segment < bytes && segment <= (1U << 20U); segment *= 4) {
    segments.push_back(std::max<std::uint64_t>(1, segment / call.element.value));
  }
  return segments;
}

std::vector<Candidate> candidates(const Hierarchy& hierarchy, const Collective& call, Bits bits) {
  expects(call.size == hierarchy.machine().size(), "candidates: call and machine differ in size");
  std::vector<Candidate> all;
  if (bits == Bits::Reference && reduces(call.operation)) {
    add_fixed_order(all, hierarchy, call);
    return all;
  }
  add_multilevel(all, hierarchy, call);
  add_striped(all, hierarchy, call);
  add_two_level(all, hierarchy, call);
  add_blind_trees(all, hierarchy, call);
  add_speed_trees(all, hierarchy, call);
  add_classical(all, hierarchy, call);
  add_along_tree(all, hierarchy, call);
  return all;
}

std::optional<Candidate> candidate_called(const std::string& name, const Hierarchy& hierarchy,
                                          const Collective& call) {
  auto plan = plan_named(name, hierarchy, call);
  if (!plan) return std::nullopt;
  return candidate_of(*std::move(plan), hierarchy, call, "named");
}

schedule::Schedule schedule_of(const Candidate& candidate, const Collective& call) {
  schedule::Schedule schedule{call, candidate.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(candidate.program_of(r));
  return schedule;
}

}  // namespace espalier::select
