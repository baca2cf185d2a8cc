#include <bit>
#include <map>

#include "collective/multilevel_time.hpp"
#include "collective/team_scans.hpp"

namespace espalier::collective {
namespace {

using cost::CostView;
using cost::Picos;
using schedule::Collective;
using topology::Machine;

/// Ranks that follow each other within one cluster of a depth, level by level: the runs of
/// multilevel_scan.cpp, for all ranks at once.
class Runs {
 public:
  explicit Runs(const Machine& machine) : machine_(machine), joined_(machine.size(), 0) {
    for (Rank r = 1; r < machine.size(); ++r) joined_[r] = machine.path(r - 1, r).level;
  }
  /// The last ranks of the runs that make up a longer one, for each longer run of the level.
  [[nodiscard]] std::vector<std::vector<Rank>> teams(std::uint32_t level) const {
    std::vector<std::vector<Rank>> found;
    std::vector<Rank> participants;
    for (Rank r = 0; r < machine_.size(); ++r) {
      const bool ends = r + 1 == machine_.size() || joined_[r + 1] <= level;
      if (ends) participants.push_back(r);
      if (r + 1 == machine_.size() || joined_[r + 1] < level) {
        if (participants.size() > 1) found.push_back(participants);
        participants.clear();
      }
    }
    return found;
  }
  /// The last rank of the run of the level that begins with rank 0.
  [[nodiscard]] Rank end_of_first(std::uint32_t level) const {
    Rank r = 0;
    while (r + 1 < machine_.size() && joined_[r + 1] >= level) ++r;
    return r;
  }

 private:
  const Machine& machine_;
  std::vector<std::uint32_t> joined_;  // the level at which a rank meets the one before
};

class ScanPrediction {
 public:
  ScanPrediction(const CostView& cost_view, const Collective& call)
      : cost_view_(cost_view),
        scans_(cost_view, static_cast<double>(call.count * call.element.value)) {}

  /// Teams that lie in equal parts of the machine and begin at the same time are worked out once.
  /// What links of the others still have to carry is left out.
  void totals_up(const std::vector<std::vector<Rank>>& all, std::uint32_t level,
                 const LevelChoice& choice) {
    const DistinctTeams distinct = distinct_teams(all, level);
    scans_.up(distinct.teams, choice.shape);
    copy_clocks(all, distinct);
  }

  /// What stands before a run, from its last rank to the last ranks of its parts.
  void down(const std::vector<std::vector<Rank>>& all, std::uint32_t level,
            const LevelChoice& choice, Rank first_end) {
    std::vector<std::vector<Rank>> with_some_before;
    for (const std::vector<Rank>& participants : all) {
      if (participants.back() > first_end) with_some_before.push_back(participants);
    }
    const DistinctTeams distinct = distinct_teams(with_some_before, level);
    scans_.down(distinct.teams, choice.shape);
    copy_clocks(with_some_before, distinct);
  }
  [[nodiscard]] Picos finish() const { return scans_.finish(); }

 private:
  struct DistinctTeams {
    std::vector<std::vector<Rank>> teams;
    std::vector<std::size_t> of;  // index into teams of the one that is equal to each
  };

  /// The cluster of a depth around a rank.
  [[nodiscard]] topology::ClusterId cluster_around(Rank rank, std::uint32_t depth) const {
    const Machine& machine = cost_view_.machine();
    topology::ClusterId id = machine.cluster_of(machine.leaf_of(rank));
    while (machine.clusters()[id].depth > depth) id = machine.clusters()[id].parent;
    return id;
  }

  [[nodiscard]] DistinctTeams distinct_teams(const std::vector<std::vector<Rank>>& all,
                                             std::uint32_t level) const {
    const Machine& machine = cost_view_.machine();
    DistinctTeams found;
    std::map<std::vector<std::uint64_t>, std::size_t> known;
    for (const std::vector<Rank>& team : all) {
      const topology::ClusterId around = cluster_around(team.front(), level);
      std::vector<std::uint64_t> key{cost_view_.class_of(around)};
      for (const Rank rank : team) {
        key.push_back(machine.leaf_of(rank) - machine.clusters()[around].first_leaf);
        key.push_back(std::bit_cast<std::uint64_t>(scans_.clock(rank)));
      }
      const auto [entry, is_new] = known.emplace(std::move(key), found.teams.size());
      if (is_new) found.teams.push_back(team);
      found.of.push_back(entry->second);
    }
    return found;
  }

  void copy_clocks(const std::vector<std::vector<Rank>>& all, const DistinctTeams& distinct) {
    for (std::size_t t = 0; t < all.size(); ++t) {
      const std::vector<Rank>& equal = distinct.teams[distinct.of[t]];
      for (std::size_t i = 0; i < equal.size(); ++i) {
        scans_.set_clock(all[t][i], scans_.clock(equal[i]));
      }
    }
  }

  const CostView& cost_view_;
  TeamScans scans_;
};

}  // namespace

Picos multilevel_scan_time(const MultilevelChoice& choice, const CostView& cost_view,
                           const Hierarchy& hierarchy, const Collective& call) {
  if (call.size == 1) return 0;
  const Runs runs(hierarchy.machine());
  ScanPrediction prediction(cost_view, call);
  for (std::size_t l = choice.levels.size(); l-- > 0;) {
    const auto teams = runs.teams(static_cast<std::uint32_t>(l));
    if (!teams.empty()) {
      prediction.totals_up(teams, static_cast<std::uint32_t>(l), choice.levels[l]);
    }
  }
  for (std::size_t l = 0; l < choice.levels.size(); ++l) {
    const auto teams = runs.teams(static_cast<std::uint32_t>(l));
    if (teams.empty()) continue;
    const auto level = static_cast<std::uint32_t>(l);
    prediction.down(teams, level, choice.levels[l], runs.end_of_first(level));
  }
  return prediction.finish();
}

}  // namespace espalier::collective
