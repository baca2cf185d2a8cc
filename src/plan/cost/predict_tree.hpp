#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "cost/fan_times.hpp"
#include "cost/flows.hpp"
#include "cost/whole_tree.hpp"

namespace espalier::cost {

/// How long a phase of a call keeps each resource and processor busy. The loads of two phases that
/// overlap are added up.
class Loads {
 public:
  explicit Loads(const CostView& cost_view)
      : cost_view_(cost_view),
        resources_(cost_view.resources(), 0),
        first_(cost_view.resources(), 0),
        processors_(cost_view.size(), 0),
        route_(cost_view) {}

  /// `messages` of `bytes` each, combined on arrival or not.
  /// @param start when the first of them can be sent at the earliest
  void add(Rank from, Rank to, double bytes, double messages, bool combines, Picos start = 0);
  /// The same with a known route.
  void add(Rank from, Rank to, const Routes& routes, std::size_t route, double bytes,
           double messages, bool combines, Picos start = 0);
  [[nodiscard]] Picos busiest() const;
  /// When the last message over the busiest resource has been received, if that resource never
  /// stood idle after its first byte. Trees and bundles take no less: fans share links with others.
  [[nodiscard]] Picos busiest_resource() const;
  void operator+=(const Loads& other);
  [[nodiscard]] Picos resource(sim::ResourceId id) const { return resources_[id]; }
  /// The least time that a message over it takes besides.
  [[nodiscard]] Picos first(sim::ResourceId id) const { return first_[id]; }
  [[nodiscard]] Picos processor(Rank rank) const { return processors_[rank]; }

 private:
  const CostView& cost_view_;
  std::vector<Picos> resources_;
  std::vector<Picos> first_;  // least time that a message over each resource takes besides it
  std::vector<Picos> processors_;
  Routes route_;
};

/// Times of a vector that goes down or up a tree in segments, in closed form edge by edge.
///
/// An edge has three figures: when its first segment is through, when all would be if the segments
/// had been there from then on (sharing what it crosses, its ends' processors busy), and when the
/// last one is if it only waits for what comes in:
///
///   first(child) = first(v) + sends + L + segment * share + recv
///   last(child)  = max(all flow from the first on, last(v) + the same step, processor of v)
///
/// so a pipeline costs its longest way once and the rest at the pace of its slowest edge. The
/// mirror holds for reductions. O(ranks) for each call.
class TreePrediction {
 public:
  /// @param segments bytes a message on each level; 0: whole
  TreePrediction(const CostView& cost_view, const WholeTree& tree, double bytes,
                 std::span<const double> segments);

  /// Reductions that do not commute carry one vector for each run of ranks of a sub-tree.
  void keep_rank_order();
  /// How many vectors go up from each rank.
  void carry(std::vector<double> vectors) { vectors_ = std::move(vectors); }
  /// @param streams by rank; those of the roots are given, all others are filled in
  void broadcast(std::vector<Stream>& streams);
  /// @param streams filled in: what each rank has combined of its sub-tree
  void reduce(std::vector<Stream>& streams);

  [[nodiscard]] bool pipelined() const { return fans_.pipelined(); }
  [[nodiscard]] Loads broadcast_loads() { return loads(false, {}); }
  [[nodiscard]] Loads reduce_loads() { return loads(true, {}); }
  /// When the busiest link is done. @param streams as broadcast() or reduce() filled them in
  [[nodiscard]] Picos busiest_link(bool upwards, std::span<const Stream> streams) {
    return loads(upwards, streams).busiest_resource();
  }

 private:
  [[nodiscard]] Loads loads(bool upwards, std::span<const Stream> streams);
  [[nodiscard]] Fan fan_of(Rank rank, const Routes& routes) const;
  void find_levels();
  void find_ways_up();
  void count_pipeline(const Routes& routes);
  void count_layer(std::size_t begin, std::size_t end, const Routes& routes);

  const CostView& cost_view_;
  const WholeTree& tree_;
  double bytes_;
  FanTimes fans_;
  std::vector<std::uint32_t> level_;   // level of each rank's edge to its parent
  std::vector<std::uint32_t> levels_;  // level of each edge, in the order of tree_.children
  Routes down_;                        // of each edge, in the same order
  Routes up_;                          // the same upwards; empty before it is needed
  Crossings crossings_;
  std::vector<double> vectors_;      // number of vectors that go up from each rank; empty: one each
  std::vector<std::size_t> layers_;  // index into tree_.order where each generation begins
  std::vector<std::uint32_t> depth_;
};

}  // namespace espalier::cost
