#include "collective/multilevel_time.hpp"

#include <algorithm>
#include <numeric>

#include "collective/multilevel_exchange.hpp"
#include "collective/rank_blocks.hpp"
#include "collective/whole_trees.hpp"
#include "cost/bundles.hpp"
#include "cost/predict_tree.hpp"
#include "cost/rounds.hpp"

namespace espalier::collective {
namespace {

using cost::CostView;
using cost::Flow;
using cost::FlowSharing;
using cost::Loads;
using cost::Picos;
using cost::Rounds;
using cost::Stream;
using cost::TreePrediction;
using cost::WholeTree;
using schedule::Collective;
using schedule::Operation;

/// How many blocks of the reference order each sub-tree sends up. O(ranks log ranks height).
std::vector<double> blocks_of_subtrees(const WholeTree& tree) {
  std::vector<double> vectors(tree.size(), 1);
  std::vector<std::vector<Rank>> below(tree.size());
  for (std::size_t i = tree.order.size(); i-- > 0;) {
    const Rank rank = tree.order[i];
    std::vector<Rank>& mine = below[rank];
    mine.push_back(rank);
    std::sort(mine.begin(), mine.end());
    vectors[rank] = static_cast<double>(blocks_within(mine, tree.size()).size());
    if (tree.parent[rank] == kNoRank) continue;
    std::vector<Rank>& above = below[tree.parent[rank]];
    above.insert(above.end(), mine.begin(), mine.end());
    mine = {};
  }
  return vectors;
}

/// All of one call's prediction; the steps are those of multilevel_calls.cpp.
class MultilevelPrediction {
 public:
  MultilevelPrediction(const MultilevelChoice& choice, std::span<const double> segments,
                       const CostView& cost_view, const Hierarchy& hierarchy,
                       const Collective& call, Partials partials)
      : choice_(choice),
        partials_(partials),
        segments_(segments.begin(), segments.end()),
        cost_view_(cost_view),
        hierarchy_(hierarchy),
        call_(call),
        bytes_(static_cast<double>(call.count) * static_cast<double>(call.element.value)) {}

  Picos finish() {
    switch (call_.operation) {
      case Operation::Broadcast:
        return broadcast();
      case Operation::Reduce:
        return reduce();
      case Operation::Allreduce:
      case Operation::Barrier:
        return allreduce();
      case Operation::Gather:
        return gather_time(cost_view_, tree(call_.root, 0), bytes_);
      case Operation::Scatter:
        return scatter_time(cost_view_, tree(call_.root, 0), bytes_);
      case Operation::Allgather:
        return allgather();
      case Operation::ReduceScatter:
        return reduce_scatter();
      case Operation::Alltoall:
        return aggregated_alltoall_time(choice_.carriers, cost_view_, hierarchy_, call_);
      case Operation::Scan:
      case Operation::Exscan:
        if (partials_ == Partials::Blocks) return fixed_scan();
        return multilevel_scan_time(choice_, cost_view_, hierarchy_, call_);
      case Operation::Unknown:
      case Operation::NeighbourAllgather:
      case Operation::NeighbourAlltoall:
        break;
    }
    return 0;
  }

 private:
  [[nodiscard]] WholeTree tree(Rank root, std::uint32_t from_level) const {
    return multilevel_tree(hierarchy_, choice_.levels, root, from_level);
  }
  static Picos latest(const std::vector<Stream>& streams) {
    Picos last = 0;
    for (const Stream& stream : streams) last = std::max(last, stream.last);
    return last;
  }
  [[nodiscard]] std::vector<Stream> all_there() const {
    return std::vector<Stream>(call_.size, {0, 0, bytes_});
  }

  Picos broadcast() {
    const WholeTree whole = tree(call_.root, 0);
    auto streams = all_there();
    TreePrediction prediction(cost_view_, whole, bytes_, segments_);
    prediction.broadcast(streams);
    return std::max(latest(streams), prediction.busiest_link(false, streams));
  }

  Picos reduce() {
    const WholeTree whole = tree(call_.root, 0);
    auto streams = all_there();
    TreePrediction prediction(cost_view_, whole, bytes_, upward_segments());
    keep_order(prediction, whole);
    prediction.reduce(streams);
    return std::max(streams[call_.root].last, prediction.busiest_link(true, streams));
  }

  void keep_order(TreePrediction& prediction, const WholeTree& whole) const {
    if (partials_ == Partials::Runs) prediction.keep_rank_order();
    if (partials_ == Partials::Blocks) prediction.carry(blocks_of_subtrees(whole));
  }
  /// Ordered reductions cut all edges alike: at the finest of all levels.
  [[nodiscard]] std::vector<double> upward_segments() const {
    if (partials_ == Partials::One) return segments_;
    double least = 0;
    for (const double s : segments_) {
      if (s != 0 && (least == 0 || s < least)) least = s;
    }
    return std::vector<double>(segments_.size(), least);
  }

  Picos allreduce() {
    const bool exchange = choice_.top == Top::Exchange;
    const WholeTree whole = tree(0, exchange ? 1 : 0);
    auto streams = all_there();
    TreePrediction prediction(cost_view_, whole, bytes_, upward_segments());
    keep_order(prediction, whole);
    prediction.reduce(streams);
    if (exchange) exchange_streams(streams, segments_.front(), bytes_, cost_view_, hierarchy_);
    prediction.broadcast(streams);
    if (!prediction.pipelined()) return latest(streams);
    // Segments go down while others still come up.
    Loads both = prediction.reduce_loads();
    const Loads down = prediction.broadcast_loads();
    Picos busiest = std::max(both.busiest(), down.busiest());
    both += down;
    if (exchange) {
      const Loads across = exchange_loads(segments_.front(), bytes_, cost_view_, hierarchy_);
      busiest = std::max(busiest, across.busiest());
      both += across;
    }
    return latest(streams) + std::max(0.0, both.busiest() - busiest);
  }

  /// In the reference order: up the tree with all blocks, and what ranks need of others down again,
  /// which is taken for as much.
  Picos fixed_scan() {
    const WholeTree whole = tree(0, 0);
    auto streams = all_there();
    TreePrediction prediction(cost_view_, whole, bytes_, upward_segments());
    prediction.carry(blocks_of_subtrees(whole));
    prediction.reduce(streams);
    prediction.broadcast(streams);
    return latest(streams);
  }

  /// All blocks to rank 0 and scattered from there; or to the masters, who exchange what belongs to
  /// each other's ranks.
  Picos reduce_scatter() {
    const bool exchange = choice_.top == Top::Exchange;
    const double all = bytes_ * call_.size;
    const WholeTree whole = tree(0, exchange ? 1 : 0);
    std::vector<Stream> streams(call_.size, {0, 0, all});
    TreePrediction prediction(cost_view_, whole, all, std::vector<double>(segments_.size(), 0));
    keep_order(prediction, whole);
    prediction.reduce(streams);
    const Picos up = prediction.busiest_link(true, streams);
    const Picos down = scatter_time(cost_view_, whole, bytes_);
    if (!exchange) return std::max(up, streams[0].last) + down;
    std::vector<double> trees(call_.size, 0);
    for (Rank r = 0; r < call_.size; ++r) trees[r] = whole.subtree[r];
    return exchange_blocks(streams, up, trees, bytes_, cost_view_, hierarchy_) + down;
  }

  /// Up within the outermost clusters, across, and down again.
  Picos allgather() {
    const WholeTree within = tree(0, 1);
    const std::vector<Picos> gathered = gather_times(cost_view_, within, bytes_);
    std::vector<Rank> masters = hierarchy_.masters_of_members(0, 0);
    std::sort(masters.begin(), masters.end());
    std::vector<double> sites;
    std::vector<Picos> ready;
    for (const Rank m : masters) {
      sites.push_back(within.subtree[m] * bytes_);
      ready.push_back(gathered[m]);
    }
    const BundleOwners owners{masters, sites, choice_.top};
    const auto here = bundles_across(owners, ready, cost_view_);
    // Up, across and down: what a link carries in all three.
    Loads loads(cost_view_);
    for (const Rank child : within.order) {
      const Rank parent = within.parent[child];
      if (parent == kNoRank) continue;
      loads.add(child, parent, within.subtree[child] * bytes_, 1, false);
      loads.add(parent, child, bytes_ * call_.size, 1, false);
    }
    add_bundles_across(loads, owners);
    return std::max(bundles_down_time(cost_view_, within, masters, sites, here),
                    loads.busiest_resource());
  }

  const MultilevelChoice& choice_;
  Partials partials_;
  std::vector<double> segments_;
  const CostView& cost_view_;
  const Hierarchy& hierarchy_;
  const Collective& call_;
  double bytes_;
};

}  // namespace

Picos multilevel_time(const MultilevelChoice& choice, std::span<const double> segments,
                      const CostView& cost_view, const Hierarchy& hierarchy, const Collective& call,
                      Partials partials) {
  return MultilevelPrediction(choice, segments, cost_view, hierarchy, call, partials).finish();
}

}  // namespace espalier::collective
