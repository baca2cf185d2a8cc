#include "select/quick_irregular.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/contract.hpp"
#include "base/random.hpp"
#include "tree/irregular.hpp"
#include "tree/irregular_algorithm.hpp"

namespace espalier::select {

using schedule::Collective;
using tree::CommTree;

namespace {

constexpr std::array kAlways{"linear", "farthest-first", "clustered-1", "clustered-4",
                             "clustered-8"};
/// Building these takes longer where ranks are of many kinds.
constexpr std::array kOfFewRanks{"minimum-first", "maximum-first", "model-traeff"};
constexpr Rank kFewRanks = 512;

}  // namespace

sim::SimOptions quick_conditions() {
  sim::SimOptions options;
  options.sharing = sim::Sharing::OneBottleneck;
  return options;
}

bool is_in_quick_choice(std::string_view name, Rank ranks) {
  const auto has = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return has(kAlways) || (ranks <= kFewRanks && has(kOfFewRanks));
}

Time quick_choice_time(Rank ranks) {
  constexpr std::int64_t kOfARank = 18'000'000;  // 18 us
  constexpr std::int64_t kOfAPair = 1'700;       // 1.7 ns: events of one rank's many messages
  const auto n = static_cast<std::int64_t>(ranks);
  return Time{kOfARank * n + kOfAPair * n * n};
}

bool is_quick_tree(std::string_view name) {
  const tree::IrregularAlgorithm* found = tree::find_irregular_algorithm(name);
  return found != nullptr && found->quick_up_to == kNoRank;
}

IrregularChoice quick_choice(const topology::Machine& machine, const Collective& call,
                             const IrregularConditions& conditions) {
  std::optional<IrregularChoice> best;
  const auto consider = [&](const char* name) {
    IrregularPlan plan = irregular_plan(name, machine, call, conditions);
    const Time time = predict(plan, machine, call, quick_conditions());
    if (!best || time < best->predicted) best = {std::move(plan), time};
  };
  for (const char* name : kAlways) consider(name);
  if (call.size <= kFewRanks) {
    for (const char* name : kOfFewRanks) consider(name);
  }
  return std::move(*best);
}

CommTree refitted(const CommTree& whole, const Collective& call, Bytes bundle_limit) {
  expects(whole.size() == call.size && whole.root() == call.root &&
              whole.member_count() == call.size && call.counts.size() == call.size,
          "refitted: not a tree over the ranks of the call");
  CommTree tree(call.size, call.root);
  std::vector<Rank> heir(call.size, call.root);  // who has the children of a rank
  for (const Rank rank : whole.preorder()) {
    if (rank == call.root) continue;
    const Rank parent = heir[whole.parent(rank)];
    heir[rank] = call.counts[rank] > 0 ? rank : parent;
    if (call.counts[rank] > 0) tree.append_child(parent, rank);
  }
  return with_bounded_bundles(tree, bytes_of(call), bundle_limit);
}

CommTree random_tree(const Collective& call, std::uint64_t seed, Bytes bundle_limit) {
  const std::vector<Bytes> bytes = bytes_of(call);
  tree::Participants who = tree::with_blocks(bytes, call.root);
  Random rng(seed);
  rng.shuffle(std::span(who.others));
  CommTree tree(call.size, call.root);
  // Few of the last ones are deep trees, many of all are flat ones.
  const Rank reach = static_cast<Rank>(1 + rng.below(who.count()));
  for (Rank at = 1; at < who.count(); ++at) {
    const Rank first = at > reach ? at - reach : 0;
    tree.append_child(who.at(first + static_cast<Rank>(rng.below(at - first))), who.at(at));
  }
  return with_bounded_bundles(tree, bytes, bundle_limit);
}

}  // namespace espalier::select
