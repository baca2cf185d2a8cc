#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cost/cost_view.hpp"

namespace espalier::cost {

/// One of several messages that share a resource.
struct Sharer {
  Picos start = 0;  ///< input: when the first byte could flow
  double bytes = 0;
  Picos end = 0;  ///< output: when the last byte has passed
};

/// Fills in the ends: at every moment all that flow have equal parts of the resource.
///
/// Processor sharing: with V(t) growing by 1 / (number of flows) a flow that began at V0 ends at
/// V0 + its work. O(n log n).
void share_equally(std::span<Sharer> sharers, Picos per_byte);

/// A message that flows together with others.
struct Flow {
  Rank from = kNoRank;
  Rank to = kNoRank;
  double bytes = 0;
  Picos start = 0;          ///< input: when the message is handed to the network
  Picos end = 0;            ///< output: when the last byte arrives
  Picos per_byte = 0;       ///< output: time a byte takes while all flows are active
  Picos latency = 0;        ///< output: latency of the route
  std::uint32_t level = 0;  ///< output: level of the channel that the message crosses
};

/// Routes that are looked up once and used several times, numbered in the order of add().
class Routes {
 public:
  explicit Routes(const CostView& cost_view) : cost_view_(cost_view) {}

  struct Known {
    Picos latency = 0;
    Picos cap = 0;    ///< time a byte takes at the limit of single flows
    Picos least = 0;  ///< least time a byte takes
    std::uint32_t level = 0;
    std::uint32_t first = 0;  ///< its slice of the list of all resources
    std::uint32_t count = 0;
  };

  void clear();
  void reserve(std::size_t routes) { known_.reserve(routes); }
  void add(Rank from, Rank to);
  [[nodiscard]] std::size_t size() const { return known_.size(); }
  [[nodiscard]] const Known& operator[](std::size_t index) const { return known_[index]; }
  [[nodiscard]] std::span<const sim::ResourceId> resources(std::size_t index) const {
    return std::span(resources_).subspan(known_[index].first, known_[index].count);
  }

 private:
  const CostView& cost_view_;
  sim::Route route_;
  std::vector<Known> known_;
  std::vector<sim::ResourceId> resources_;
};

/// Counts of messages on every resource, quick to clear.
class Crossings {
 public:
  explicit Crossings(const CostView& cost_view) : counts_(cost_view.resources(), 0) {}
  void add(std::span<const sim::ResourceId> route, std::uint32_t messages = 1);
  void add(sim::ResourceId resource, std::uint32_t messages);
  void clear();
  /// Keeps this part of each count, at least 1: as if the others came at another time.
  void thin_out(double part);
  [[nodiscard]] std::uint32_t operator[](sim::ResourceId r) const { return counts_[r]; }

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<sim::ResourceId> touched_;
};

/// When each of a set of messages that set out at about the same time arrives, if they share all
/// they cross fairly: the rates of max-min fairness while all flow; those that are held back by
/// the same resource then share it as processor sharing has it, from their different starts.
///
/// Exact for messages of equal size that start together; close where starts and sizes differ.
/// O(n (route + distinct bottlenecks)).
class FlowSharing {
 public:
  explicit FlowSharing(const CostView& cost_view);

  /// Fills in the outputs of the flows.
  /// @param others number of messages on each resource at that time, with these; null: only these
  void settle(std::span<Flow> flows, const Crossings* others = nullptr);
  /// The same with known routes: that of flows[i] is routes[first + i].
  void settle(std::span<Flow> flows, const Routes& routes, std::size_t first,
              const Crossings* others = nullptr);
  /// The outputs but the ends. Starts mean nothing.
  void find_rates(std::span<Flow> flows, const Routes& routes);
  /// The flows that were settled last, with other bytes and starts.
  void settle_again(std::span<Flow> flows);

 private:
  struct FlowPath {
    std::uint32_t first = 0, count = 0;  // its slice of resources_
    Picos alone = 0;                     // time a byte takes on what no other flow crosses
    Picos least = 0;                     // least time a byte takes
  };
  struct RateAndHolder {
    double rate = 0;
    sim::ResourceId holder = sim::kNoResource;
  };
  /// A resource that several flows cross, and where they begin in crossing_.
  struct Shared {
    sim::ResourceId resource = sim::kNoResource;
    std::uint32_t begin = 0;
  };
  [[nodiscard]] RateAndHolder share_of(const FlowPath& path) const;
  void settle_one(Flow& flow, const Crossings* others);
  void take_paths(std::span<Flow> flows, const Routes& routes, std::size_t first);
  void fill(std::span<Flow> flows, const Crossings* others);
  void list_crossings();
  void stagger(std::span<Flow> flows);
  void share(std::span<Flow> flows, std::span<const std::uint32_t> here, sim::ResourceId resource,
             bool held);

  const CostView& cost_view_;
  Crossings counts_;
  Routes own_routes_;
  std::vector<FlowPath> paths_;
  std::vector<sim::ResourceId> resources_;
  std::vector<double> left_;              // rate that each resource has left while rates are found
  std::vector<std::uint32_t> waiting_;    // flows on each resource without a rate yet
  std::vector<sim::ResourceId> held_by_;  // resource that holds each flow back, or kNoResource
  std::vector<Shared> shared_;
  std::vector<std::uint32_t> crossing_;  // flows by shared resource
  std::vector<Sharer> sharers_;
  // Lists of flows while filling, kept for their memory.
  std::vector<std::size_t> open_, settled_;
  std::vector<RateAndHolder> shares_;
};

}  // namespace espalier::cost
