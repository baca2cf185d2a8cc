#include "collective/folded_runs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "collective/team_scans.hpp"
#include "topology/views.hpp"

namespace espalier::collective {

using cost::Picos;
using topology::Cluster;
using topology::ClusterId;
using topology::Machine;
using topology::Member;

struct FoldedRuns::Told {
  Machine machine;
  std::vector<Part> parts;
};

namespace {

/// The first cluster of each class, in the order of ranks.
class RunFolding {
 public:
  RunFolding(const Hierarchy& whole, std::uint32_t seen_at)
      : machine_(whole.machine()), classes_(whole.shape().classes) {
    if (seen_at == 0) {
      (void)tell(0);
    } else {
      tell_as_two_levels(seen_at);
    }
  }
  std::vector<FoldedRuns::Part> parts;  // with ranks of the whole machine

 private:
  std::uint32_t tell(ClusterId id) {
    const Cluster& cluster = machine_.clusters()[id];
    const auto index = static_cast<std::uint32_t>(parts.size());
    const auto [known, is_new] = known_.emplace(std::pair{cluster.depth, classes_[id]}, index);
    if (!is_new) return known->second;
    parts.push_back({cluster.depth, {}, {}});
    for (const Member& member : machine_.members(cluster)) {
      topology::Leaf last = member.id;
      std::uint32_t told_by = FoldedRuns::kProcess;
      if (!member.is_leaf) {
        const Cluster& inner = machine_.clusters()[member.id];
        last = inner.first_leaf + inner.leaf_count - 1;
        told_by = tell(member.id);
      }
      parts[index].ends.push_back(machine_.rank_at(last));
      parts[index].told_by.push_back(told_by);
    }
    return index;
  }

  /// All clusters of the depth are alike.
  void tell_as_two_levels(std::uint32_t depth) {
    parts.assign(2, {});
    parts[1].depth = 1;
    for (const Cluster& cluster : machine_.clusters()) {
      if (cluster.depth != depth) continue;
      parts[0].ends.push_back(machine_.rank_at(cluster.first_leaf + cluster.leaf_count - 1));
      parts[0].told_by.push_back(1);
      if (!parts[1].ends.empty()) continue;
      for (std::uint32_t i = 0; i < cluster.leaf_count; ++i) {
        parts[1].ends.push_back(machine_.rank_at(cluster.first_leaf + i));
        parts[1].told_by.push_back(FoldedRuns::kProcess);
      }
    }
  }

  const Machine& machine_;
  const std::vector<std::uint32_t>& classes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;  // by depth and class
};

}  // namespace

FoldedRuns::Told FoldedRuns::tell(const Hierarchy& whole, std::uint32_t seen_at) {
  RunFolding folding(whole, seen_at);
  std::vector<Rank> ranks;
  for (const Part& part : folding.parts) {
    ranks.insert(ranks.end(), part.ends.begin(), part.ends.end());
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  for (Part& part : folding.parts) {
    for (Rank& end : part.ends) {
      end = static_cast<Rank>(std::lower_bound(ranks.begin(), ranks.end(), end) - ranks.begin());
    }
  }
  return {topology::submachine(whole.machine(), ranks), std::move(folding.parts)};
}

FoldedRuns::FoldedRuns(const Hierarchy& whole, const topology::Transport& transport,
                       std::uint32_t seen_at)
    : FoldedRuns(tell(whole, seen_at), transport) {}

FoldedRuns::FoldedRuns(Told told, const topology::Transport& transport)
    : machine_(std::move(told.machine)),
      cost_view_(machine_, {}, 1, transport),
      parts_(std::move(told.parts)) {}

namespace {

using Part = FoldedRuns::Part;

/// The steps of multilevel_scan_time(), each part once. Up the levels all equal parts have equal
/// times. Down again they differ in when what stands before them comes to their last rank; later in
/// means later out, so only the latest is followed. Before the first part of a level stands
/// nothing.
class FoldedScan {
 public:
  FoldedScan(std::span<const LevelChoice> choices, const FoldedRuns& runs, double bytes)
      : choices_(choices),
        parts_(runs.parts()),
        scans_(runs.cost_view(), bytes),
        after_(parts_.size()),
        contexts_(parts_.size()) {}

  Picos finish() {
    for (std::size_t depth = choices_.size(); depth-- > 0;) up(static_cast<std::uint32_t>(depth));
    contexts_.front().first = after_.front().back();
    for (std::uint32_t depth = 0; depth < choices_.size(); ++depth) {
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (parts_[p].depth == depth) down(p);
      }
    }
    return last_;
  }

 private:
  /// When the last rank of parts of a kind has what stands before it.
  struct Context {
    std::optional<Picos> first;   // of the part that begins with rank 0
    std::optional<Picos> others;  // the latest of all others
  };

  void up(std::uint32_t depth) {
    std::vector<std::vector<Rank>> teams;
    for (const Part& part : parts_) {
      if (part.depth != depth) continue;
      for (std::size_t i = 0; i < part.ends.size(); ++i) {
        if (part.told_by[i] != FoldedRuns::kProcess) {
          scans_.set_clock(part.ends[i], after_[part.told_by[i]].back());
        }
      }
      if (part.ends.size() > 1) teams.push_back(part.ends);
    }
    if (!teams.empty()) scans_.up(teams, choices_[depth].shape);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].depth != depth) continue;
      for (const Rank end : parts_[p].ends) after_[p].push_back(scans_.clock(end));
    }
  }

  void down(std::size_t p) {
    const Part& part = parts_[p];
    const Context context = contexts_[p];
    std::vector<Picos> clocks = after_[p];
    if (context.first) {
      clocks.back() = *context.first;
      hand_on(part, clocks, true);
    }
    if (!context.others) return;
    clocks.back() = *context.others;
    if (part.ends.size() > 1) {
      const std::vector<std::vector<Rank>> team{part.ends};
      for (std::size_t i = 0; i < clocks.size(); ++i) scans_.set_clock(part.ends[i], clocks[i]);
      scans_.down(team, choices_[part.depth].shape);
      for (std::size_t i = 0; i < clocks.size(); ++i) clocks[i] = scans_.clock(part.ends[i]);
    }
    hand_on(part, clocks, false);
  }

  void hand_on(const Part& part, std::span<const Picos> clocks, bool is_first) {
    for (std::size_t i = 0; i < clocks.size(); ++i) {
      last_ = std::max(last_, clocks[i]);
      if (part.told_by[i] == FoldedRuns::kProcess) continue;
      Context& there = contexts_[part.told_by[i]];
      if (is_first && i == 0) {
        there.first = clocks[i];
      } else {
        there.others = std::max(there.others.value_or(0), clocks[i]);
      }
    }
  }

  std::span<const LevelChoice> choices_;
  std::span<const Part> parts_;
  TeamScans scans_;
  std::vector<std::vector<Picos>> after_;  // of each part: its members' last ranks on the way up
  std::vector<Context> contexts_;          // of each part
  Picos last_ = 0;
};

}  // namespace

Picos folded_scan_time(std::span<const LevelChoice> choices, const FoldedRuns& runs, double bytes) {
  return FoldedScan(choices, runs, bytes).finish();
}

}  // namespace espalier::collective
