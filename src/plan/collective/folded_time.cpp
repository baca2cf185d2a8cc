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

}  // namespace

std::optional<Picos> folded_multilevel_time(const MultilevelChoice& choice,
                                            std::span<const double> segments,
                                            const FoldedMachine& machine, const Collective& call) {
  constexpr Operations kTold{Operation::Broadcast,    Operation::Reduce, Operation::Allreduce,
                             Operation::Barrier,      Operation::Gather, Operation::Scatter,
                             Operation::ReduceScatter};
  if (!kTold.contains(call.operation)) return std::nullopt;
  if (reduces(call.operation) && !call.commutative) return std::nullopt;
  const bool exchange = choice.top == Top::Exchange;
  const FoldedCall at{choice,
                      segments,
                      machine,
                      call,
                      static_cast<double>(call.count) * static_cast<double>(call.element.value),
                      exchange,
                      folded_tree(machine, choice.levels, exchange ? 1 : 0)};
  switch (call.operation) {
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
    default:
      return folded_allreduce(at);
  }
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
