// Estimates of multilevel plans on a machine whose equal parts are told once: the steps are those
// of multilevel_time.cpp.
#include <algorithm>

#include "collective/algorithm.hpp"
#include "collective/folded_times.hpp"
#include "collective/multilevel_exchange.hpp"
#include "collective/multilevel_time.hpp"

namespace espalier::collective {

using cost::Picos;
using cost::Stream;
using schedule::Collective;
using schedule::Operation;

namespace {

/// A multilevel plan's call on a folded machine.
struct FoldedCall {
  const MultilevelChoice& choice;
  std::span<const double> segments;
  const FoldedMachine& machine;
  const Collective& call;
  double bytes;
  bool exchange;
  FoldedTree tree;

  [[nodiscard]] std::vector<Stream> all_there(double all) const {
    return std::vector<Stream>(machine.hierarchy().machine().size(), {0, 0, all});
  }
  [[nodiscard]] FoldedTimes times() const { return {machine, tree, bytes, segments}; }
};

Picos folded_broadcast(const FoldedCall& at) {
  FoldedTimes times = at.times();
  const Picos last = times.broadcast(at.all_there(at.bytes));
  return std::max(last, times.busiest_link(false));
}

Picos folded_reduce(const FoldedCall& at) {
  FoldedTimes times = at.times();
  std::vector<Stream> streams = at.all_there(at.bytes);
  times.reduce(streams);
  return std::max(streams[at.machine.root()].last, times.busiest_link(true));
}

Picos folded_allreduce(const FoldedCall& at) {
  const cost::CostView& cost_view = at.machine.cost_view();
  const Hierarchy& hierarchy = at.machine.hierarchy();
  FoldedTimes times = at.times();
  std::vector<Stream> streams = at.all_there(at.bytes);
  times.reduce(streams);
  if (at.exchange) {
    exchange_streams(streams, at.segments.front(), at.bytes, cost_view, hierarchy);
  }
  const Picos last = times.broadcast(streams);
  if (!times.pipelined()) return last;
  if (!at.exchange) return last + times.busy_with_both(nullptr);
  const cost::Loads across = exchange_loads(at.segments.front(), at.bytes, cost_view, hierarchy);
  return last + times.busy_with_both(&across);
}

Picos folded_reduce_scatter(const FoldedCall& at) {
  const double all = at.bytes * at.call.size;
  const std::vector<double> whole(at.segments.size(), 0);
  FoldedTimes times(at.machine, at.tree, all, whole);
  std::vector<Stream> streams = at.all_there(all);
  times.reduce(streams);
  const Picos up = times.busiest_link(true);
  const Picos down = times.scatter(at.bytes);
  if (!at.exchange) return std::max(up, streams[at.machine.root()].last) + down;
  std::vector<double> trees(streams.size(), 0);
  for (const FoldedTree::Root& root : at.tree.roots) {
    trees[root.rank] = at.tree.kinds[root.kind].subtree;
  }
  return exchange_blocks(streams, up, trees, at.bytes, at.machine.cost_view(),
                         at.machine.hierarchy()) +
         down;
}

/// @pre the tree begins below the outermost level
Picos folded_allgather(const FoldedCall& at) {
  const cost::CostView& cost_view = at.machine.cost_view();
  FoldedTimes times = at.times();
  std::vector<Picos> gathered(at.machine.hierarchy().machine().size(), 0);
  (void)times.gather(at.bytes, &gathered);
  std::vector<FoldedTree::Root> roots = at.tree.roots;
  std::sort(roots.begin(), roots.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  std::vector<Rank> masters;
  std::vector<double> bundles;
  std::vector<Picos> ready;
  for (const FoldedTree::Root& root : roots) {
    masters.push_back(root.rank);
    bundles.push_back(at.tree.kinds[root.kind].subtree * at.bytes);
    ready.push_back(gathered[root.rank]);
  }
  const BundleOwners owners{masters, bundles, at.choice.top};
  const auto here = bundles_across(owners, ready, cost_view);
  cost::Loads across(cost_view);
  add_bundles_across(across, owners);
  const Picos last = times.bundles_down(roots, bundles, here);
  return std::max(last, times.busiest_of_allgather(at.bytes, at.bytes * at.call.size, across));
}

}  // namespace

namespace {

bool is_told(const Collective& call) {
  constexpr Operations kTold{Operation::Broadcast,     Operation::Reduce,   Operation::Allreduce,
                             Operation::Barrier,       Operation::Gather,   Operation::Scatter,
                             Operation::ReduceScatter, Operation::Allgather};
  return kTold.contains(call.operation) && (call.commutative || !reduces(call.operation));
}

/// Whether there is no tree between the outermost masters.
bool starts_below(const MultilevelChoice& choice, const Collective& call) {
  return choice.top == Top::Exchange || call.operation == Operation::Allgather;
}

double bytes_of(const Collective& call) {
  return static_cast<double>(call.count) * static_cast<double>(call.element.value);
}

Picos time_of(const FoldedCall& at) {
  switch (at.call.operation) {
    case Operation::Broadcast:
      return folded_broadcast(at);
    case Operation::Reduce:
      return folded_reduce(at);
    case Operation::Gather:
      return at.times().gather(at.bytes);
    case Operation::Scatter:
      return at.times().scatter(at.bytes);
    case Operation::ReduceScatter:
      return folded_reduce_scatter(at);
    case Operation::Allgather:
      return folded_allgather(at);
    default:
      return folded_allreduce(at);
  }
}

}  // namespace

std::optional<Picos> folded_multilevel_time(const MultilevelChoice& choice,
                                            std::span<const double> segments,
                                            const FoldedMachine& machine, const Collective& call) {
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) {
    const FoldedRuns* runs = machine.runs();
    if (runs == nullptr) return std::nullopt;
    return folded_scan_time(choice.levels, *runs, bytes_of(call));
  }
  if (!is_told(call)) return std::nullopt;
  return time_of({choice, segments, machine, call, bytes_of(call), choice.top == Top::Exchange,
                  folded_tree(machine, choice.levels, starts_below(choice, call) ? 1 : 0)});
}

std::optional<Picos> folded_two_level_time(std::uint32_t depth, const FoldedMachine& machine,
                                           const Collective& call) {
  const bool from_0 = !schedule::has_root(call.operation) || call.root == 0;
  if (!is_told(call) || !machine.is_aligned() || !from_0) return std::nullopt;
  const std::size_t levels = machine.hierarchy().machine().levels().size();
  const std::vector<double> whole(levels, 0);
  const MultilevelChoice choice{
      std::vector<LevelChoice>(levels, {Shape::Binomial, 0}), Top::Tree, {}};
  const FoldedMachine all = machine.at_depth(depth);
  return time_of(
      {choice, whole, all, call, bytes_of(call), false,
       folded_two_level_tree(all, depth, choice.levels, starts_below(choice, call) ? 1 : 0)});
}

std::optional<Picos> folded_binomial_blocks(double block, bool scatters,
                                            const FoldedMachine& machine, const Collective& call) {
  if (!machine.is_aligned() || call.root != 0) return std::nullopt;
  const std::size_t levels = machine.hierarchy().machine().levels().size();
  const std::vector<LevelChoice> binomial(levels, {Shape::Binomial, 0});
  const std::vector<double> whole(levels, 0);
  const FoldedTree tree = folded_tree(machine, binomial);
  FoldedTimes times(machine, tree, block, whole);
  return scatters ? times.scatter(block) : times.gather(block);
}

std::optional<Picos> folded_binomial_time(double segment, const FoldedMachine& machine,
                                          const Collective& call) {
  if (!machine.is_aligned() || call.root != 0) return std::nullopt;
  const std::size_t levels = machine.hierarchy().machine().levels().size();
  const MultilevelChoice choice{
      std::vector<LevelChoice>(levels, {Shape::Binomial, 0}), Top::Tree, {}};
  return folded_multilevel_time(choice, std::vector<double>(levels, segment), machine, call);
}

}  // namespace espalier::collective
