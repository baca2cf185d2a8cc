#include <algorithm>
#include <optional>

#include "collective/multilevel_call.hpp"
#include "collective/ordered_reduce.hpp"
#include "collective/scan.hpp"
#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// How many clusters below the whole machine two ranks share.
std::uint32_t shared_depth(const topology::Machine& machine, Rank a, Rank b) {
  const auto clusters = machine.clusters();
  topology::ClusterId x = machine.cluster_of(machine.leaf_of(a));
  topology::ClusterId y = machine.cluster_of(machine.leaf_of(b));
  while (x != y) {
    topology::ClusterId& deeper = clusters[x].depth >= clusters[y].depth ? x : y;
    deeper = clusters[deeper].parent;
  }
  return clusters[x].depth;
}

/// One level of the way of a rank: the last ranks of the runs that make up a longer one.
struct Step {
  std::uint32_t level = 0;
  RankRun whole;
  Participants participants;  // of those that end the runs; this rank's run is that of position me
  bool speaks;                // this rank ends its run
  Region before;              // what stands before its run within the longer one, if me > 0
};

/// From the whole machine inwards, until this rank is alone.
std::vector<Step> steps_of(const topology::Machine& machine, Rank rank) {
  std::vector<std::uint32_t> joined(machine.size(), 0);  // depth shared with the rank before
  for (Rank r = 1; r < machine.size(); ++r) joined[r] = shared_depth(machine, r - 1, r);
  std::vector<Step> steps;
  RankRun run{0, machine.size() - 1};
  for (std::uint32_t level = 0; run.first != run.last; ++level) {
    Step step{level, run, {}, false, {}};
    RankRun mine{run.first, run.last};
    Rank first = run.first;
    for (Rank r = run.first; r <= run.last; ++r) {
      if (r != run.last && joined[r + 1] > level) continue;
      if (first <= rank && rank <= r) {
        mine = {first, r};
        step.participants.me = step.participants.size();
      }
      step.participants.ranks.push_back(r);
      first = r + 1;
    }
    step.speaks = mine.last == rank;
    run = mine;
    if (step.participants.size() > 1) steps.push_back(std::move(step));
  }
  return steps;
}

void exscan(ProgramBuilder& program, const LevelChoice& choice, const Participants& participants,
            const Region& own, const Region& before) {
  switch (choice.shape) {
    case Shape::Flat:
      return direct_exscan(program, participants, own, before);
    case Shape::Chain:
      return linear_exscan(program, participants, own, before, choice.segment);
    case Shape::Binomial:
    case Shape::Quadnomial:  // no scans of these: only what goes down has that shape
    case Shape::Octonomial:
    case Shape::Postal2:
    case Shape::Postal3:
    case Shape::Postal5:
    case Shape::Postal8:
    case Shape::Postal13:
    case Shape::Postal21:
      return shifted_exscan(program, participants, own, before, binomial_scan);
    case Shape::Binary:
      return shifted_exscan(program, participants, own, before, recursive_doubling_scan);
  }
}

}  // namespace

void multilevel_scan(ProgramBuilder& program, const Hierarchy& hierarchy,
                     std::span<const LevelChoice> choices, bool inclusive, const Region& in,
                     const Region& out) {
  if (in.length == 0) return;
  const auto vector = [&] { return slice(Buffer::Scratch, program.scratch(in.length), in.length); };
  std::vector<Step> steps = steps_of(hierarchy.machine(), program.rank());
  const bool is_last = program.rank() + 1 == hierarchy.machine().size();

  Region total = in;  // of the run that this rank ends
  for (auto step = steps.rbegin(); step != steps.rend() && step->speaks; ++step) {
    if (step->participants.me > 0) step->before = vector();
    exscan(program, choices[step->level], step->participants, total, step->before);
    const bool ends_longer_run = program.rank() == step->whole.last;
    if (!ends_longer_run || is_last || step->participants.me == 0) continue;
    const Region longer = vector();
    program.copy(total, longer);
    program.reduce(step->before, longer, Operands::FromThenTo);
    total = longer;
  }

  std::optional<Region> before;  // what stands before the run that this rank is in
  for (Step& step : steps) {
    if (!step.speaks) continue;
    if (step.whole.first > 0) {
      if (!before) before = vector();
      const Participants from_last = rotated(step.participants, step.participants.size() - 1);
      tree_broadcast(program, participants_links(choices[step.level], from_last), *before);
    }
    if (step.participants.me == 0) continue;
    if (before) program.reduce(*before, step.before, Operands::FromThenTo);
    before = step.before;
  }

  if (inclusive) program.copy(in, out);
  if (!before) return;
  if (inclusive) {
    program.reduce(*before, out, Operands::FromThenTo);
  } else {
    program.copy(*before, out);
  }
}

}  // namespace espalier::collective
