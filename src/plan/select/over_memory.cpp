#include "select/over_memory.hpp"

#include <algorithm>
#include <map>

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

/// The outermost level whose channel is memory; as many as there are if there is none.
std::size_t level_of_memory(const topology::Machine& machine) {
  std::size_t level = 0;
  for (const topology::LevelName& name : machine.levels()) {
    if (name.channel.starts_with("memory")) break;
    ++level;
  }
  return level;
}

/// Pieces that are tried, in bytes, besides the whole message: short enough for caches, and long
/// enough that a plan's latency does not count much.
constexpr std::uint64_t kTriedPieces[] = {256 * 1024, 64 * 1024};

Time in_memory(Operation operation, const Collective& call, Rank ranks, std::uint64_t piece) {
  if (ranks < 2) return Time{};
  Collective inside = call;
  inside.operation = operation;
  inside.size = ranks;
  inside.root = 0;
  inside.count = piece;
  return time_in_memory(inside);
}

/// What memory takes for a piece, before the leaders have it and behind them.
Time before_and_behind(const Collective& call, Rank ranks, std::uint64_t piece) {
  const Time barrier = in_memory(Operation::Barrier, call, ranks, 0);
  const Time reduce = in_memory(Operation::Reduce, call, ranks, piece);
  const Time broadcast = in_memory(Operation::Broadcast, call, ranks, piece) + barrier;
  switch (call.operation) {
    case Operation::Barrier:
      return barrier + barrier;
    case Operation::Broadcast:
      return broadcast;
    case Operation::Reduce:
      return reduce;
    default:
      return reduce + broadcast;
  }
}

}  // namespace

Nodes::Nodes(const topology::Machine& machine) : node_of_(machine.size()) {
  const std::size_t level = level_of_memory(machine);
  std::map<topology::ClusterId, Rank> known;
  std::vector<Rank> sizes;
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    const std::vector<topology::ClusterId> around = machine.clusters_of(rank);
    const auto next = static_cast<Rank>(lowest_.size());
    Rank node = next;
    if (level < machine.levels().size() && around.size() >= level) {
      const topology::ClusterId cluster = level == 0 ? 0 : around[level - 1];
      node = known.emplace(cluster, next).first->second;
    }
    if (node == next) {
      lowest_.push_back(rank);
      sizes.push_back(0);
    }
    largest_ = std::max(largest_, ++sizes[node]);
    node_of_[rank] = node;
  }
}

std::vector<Rank> Nodes::ranks_of(Rank node) const {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < size(); ++rank) {
    if (node_of_[rank] == node) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<Rank> Nodes::leaders(Rank root) const {
  std::vector<Rank> all;
  for (Rank node = 0; node < count(); ++node) all.push_back(leader_of(node, root));
  std::sort(all.begin(), all.end());
  return all;
}

bool may_go_over_memory(const Collective& call) {
  if (call.irregular()) return false;
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Barrier:
      return true;
    case Operation::Reduce:
    case Operation::Allreduce:
      return call.commutative && call.element.value <= kLongestSharedPiece;
    default:
      return false;
  }
}

std::string OverMemory::name() const {
  return leaders.name + " over " + std::string(kSharedMemory);
}

Collective call_of_leaders(const Collective& call, const std::vector<Rank>& leaders,
                           std::uint64_t piece) {
  Collective part = call;
  part.size = static_cast<Rank>(leaders.size());
  if (schedule::has_root(call.operation)) {
    part.root = static_cast<Rank>(std::lower_bound(leaders.begin(), leaders.end(), call.root) -
                                  leaders.begin());
  }
  part.count = piece;
  return part;
}

std::optional<OverMemory> choose_over_memory(Chooser& chooser, const Nodes& nodes,
                                             const Collective& call) {
  const std::vector<Rank> leaders = nodes.leaders(call.root);
  std::vector<std::uint64_t> pieces{call.count};
  for (const std::uint64_t bytes : kTriedPieces) {
    const std::uint64_t piece = std::max<std::uint64_t>(1, bytes / call.element.value);
    if (piece < pieces.back()) pieces.push_back(piece);
  }
  std::optional<OverMemory> best;
  for (const std::uint64_t piece : pieces) {
    PlanChoice choice = chooser.choose(call_of_leaders(call, leaders, piece), WhichPlan::Best);
    if (!choice.planned() || !choice.predicted) continue;
    const Time sent = *choice.predicted;
    const Time shared = before_and_behind(call, nodes.largest(), piece);
    const std::uint64_t more = piece == 0 ? 0 : (call.count + piece - 1) / piece - 1;
    const Time predicted = sent + shared + static_cast<std::int64_t>(more) * std::max(sent, shared);
    if (!best || predicted < best->predicted) {
      best = OverMemory{std::move(choice), piece, predicted};
    }
  }
  return best;
}

}  // namespace espalier::select
