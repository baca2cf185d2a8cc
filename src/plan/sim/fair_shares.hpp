#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "sim/link_demand.hpp"
#include "sim/network.hpp"

namespace espalier::sim {

/// Flows over shared resources, each at its max-min fair rate: no flow could be faster without
/// slowing one that is no faster than itself.
///
/// D. Bertsekas, R. Gallager: "Data Networks", 2nd ed., 1992, section 6.5.2 (progressive filling:
/// all rates rise together; where a resource is full, the rates of its flows are final).
/// Where we differ: rates are whole bits a second, rounded down, but never below one (a resource
/// with more flows than bits a second is a little overbooked); and a change is worked out only as
/// far as it can reach. Flows may have weights: rates rise in proportion to them, and everything
/// below that speaks of a level means a rate by weight. It reaches nothing by way of a resource
/// whose flows could together not ask for more than it has, and no flow that is slower than all
/// that changed: filling up to there goes as it went before. So the rates are always those of
/// filling everything anew.
///
/// Starting and ending flows is O(route); settle() is O(E log R) for the E hops and R resources in
/// reach of what has changed since the last time, and looks once at each flow of these resources.
class FairShares {
 public:
  using FlowId = std::uint32_t;

  /// @param weighted flows may have other weights than 1
  explicit FairShares(std::span<const Resource> resources, std::size_t longest_route,
                      bool weighted = false);

  /// A flow of `bytes` along the route, from now on. `owner` is handed back when it ends.
  /// @pre bytes > 0; the route has a resource or a cap; 1 <= weight <= kMostWeight
  void begin(Time now, std::uint32_t owner, std::uint64_t bytes, const Route& route,
             std::uint32_t weight = 1);
  static constexpr std::uint32_t kMostWeight = 65536;

  /// Works out the rates after some flows began or ended. @pre not earlier than any other call
  void settle(Time now) {
    if (changed()) work_out_rates(now);
  }
  [[nodiscard]] bool changed() const { return !dirty_.empty() || !fresh_.empty(); }

  /// When the first of the flows that have a rate will end; kForever if none does.
  [[nodiscard]] Time next_end() const { return ends_.empty() ? kForever : progress_[ends_[0]].end; }

  struct Ended {
    std::uint32_t owner;
    ResourceId slowed_by;  ///< resource that limited it last; kNoResource: its own cap
  };
  /// Takes out the flow that ends first; of several, the one with the lowest owner.
  /// @pre next_end() <= now, and no time has passed since a flow last began or ended unless
  ///      settle() was called
  Ended end_first(Time now);

  /// Bits a second, of a flow that is there. For tests.
  [[nodiscard]] std::uint64_t rate_of(std::uint32_t owner) const;
  /// How often a flow was looked at while rates were worked out, so far. The same on every
  /// computer.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  /// How long it was in use, by any number of flows, until now.
  [[nodiscard]] Time busy(ResourceId resource) const { return uses_[resource].busy; }

 private:
  /// Bits times picoseconds a second: what a flow at 1 bit/s moves in a picosecond is 1.
  using Work = unsigned __int128;

  // What filling looks at is kept apart from the rest: a change may reach thousands of flows.
  struct Link {
    std::uint64_t capacity = 0;
    std::uint64_t left = 0;   // while filling
    std::uint64_t open = 0;   // weight of flows without a rate, while filling
    std::uint64_t scale = 1;  // levels of a bit a second
    std::uint32_t seen = 0;
    bool contended =
        false;  ///< flows may want more than the capacity: LinkDemand::exceeds(capacity)
    bool dirty = false;
    bool inward = false;  ///< link on the receiver's side of routes

    [[nodiscard]] std::uint64_t share() const;
  };
  struct LinkUse {
    std::vector<FlowId> flows;
    std::uint64_t weight = 0;  ///< sum over all flows
    LinkDemand demand;
    Time busy_since;
    Time busy;
  };
  static constexpr std::uint64_t kFresh = ~std::uint64_t{0};  ///< rate of a flow that has none yet
  /// With weights a level is finer than a bit a second: many flows share one.
  static constexpr std::uint64_t kLevelsPerBit = 4096;
  struct Flow {
    std::uint64_t rate = kFresh;
    std::uint64_t level = kFresh;  ///< fill level at which the flow's rate was fixed
    std::uint64_t new_rate = 0;
    std::uint64_t ceiling = 0;  ///< flow cap, or the narrowest capacity on the route
    std::uint32_t weight = 1;
    std::uint32_t seen = 0;
    std::uint32_t hops = 0;
    ResourceId slowed_by = kNoResource;
    std::uint32_t contended = 0;  ///< number of contended hops, while rates are filled
  };
  struct Progress {
    Work remaining = 0;
    Time updated;
    Time end = kForever;
    std::uint32_t owner = 0;
    std::uint32_t heap_place = 0;
    ResourceId narrowest = kNoResource;
  };
  /// A resource that may be full at that level, or a flow that wants no more.
  struct Candidate {
    std::uint64_t level;
    std::uint32_t id;
    bool is_flow;
  };

  /// The narrowest resource of a route; of equal ones the first and the last.
  struct Doors {
    ResourceId first = kNoResource;
    ResourceId last = kNoResource;
  };

  [[nodiscard]] Doors doors_of(const Route& route) const;
  [[nodiscard]] std::span<const ResourceId> route_of(FlowId flow) const {
    return std::span(hops_).subspan(flow * stride_, flows_[flow].hops);
  }
  [[nodiscard]] FlowId new_flow();
  void join(FlowId flow, std::size_t hop, Time now, const Doors& doors);
  void leave(FlowId flow, std::size_t hop, Time now);
  void remove_from(ResourceId resource, std::uint32_t place);
  void work_out_rates(Time now);
  void find_reach();
  void find_slowest_change();
  void see_link(ResourceId resource);
  void reach_link(ResourceId resource);
  void reach_flow(FlowId flow);
  void fill();
  void fix(FlowId flow, std::uint64_t level, ResourceId by);
  /// The level at which a flow of this weight has that rate, and its rate at a level.
  [[nodiscard]] std::uint64_t level_at(std::uint64_t rate, std::uint32_t weight) const {
    return weighted_ ? rate * kLevelsPerBit / weight : rate;
  }
  [[nodiscard]] std::uint64_t rate_at(std::uint64_t level, const Flow& flow) const {
    if (!weighted_) return level;
    if (level >= level_at(flow.ceiling, flow.weight)) return flow.ceiling;
    return std::max<std::uint64_t>(1, level * flow.weight / kLevelsPerBit);
  }
  void apply_rates(Time now);
  [[nodiscard]] bool apply_rate(FlowId flow, Time now);
  void mark_dirty(ResourceId resource);

  [[nodiscard]] bool ends_before(FlowId a, FlowId b) const;
  void place_in_heap(std::size_t place, FlowId flow);
  void sift(std::size_t place);
  void sift_down(std::size_t place);

  std::vector<Link> links_;
  std::vector<LinkUse> uses_;  ///< [ResourceId]
  std::vector<Flow> flows_;
  std::vector<Progress> progress_;  ///< [FlowId]
  std::vector<ResourceId> hops_;    ///< [flow * stride_ + hop] resource on its route
  std::vector<std::uint32_t>
      places_;  ///< [flow * stride_ + hop] index of the flow in LinkUse::flows
  std::vector<LinkDemand::Slot>
      slots_;  ///< [flow * stride_ + hop] slot in LinkUse::demand that counts the flow
  std::vector<ResourceId>
      contended_;  ///< [flow * stride_ + i] contended resources on its route, while filling
  std::vector<std::uint8_t> open_;  ///< [FlowId] while filling: has no rate yet
  std::vector<FlowId> free_;
  std::size_t stride_;
  std::vector<FlowId> ends_;  ///< heap of all flows, the earliest end on top

  std::vector<ResourceId> dirty_;
  std::vector<FlowId> fresh_;
  std::uint64_t slowest_change_ = kFresh;  ///< flows below this fill level keep their rates
  bool weighted_;
  std::uint32_t round_ = 0;
  std::uint64_t looks_ = 0;
  std::vector<FlowId> reached_flows_;
  std::vector<ResourceId> reached_links_;
  std::vector<Candidate> candidates_;
};

}  // namespace espalier::sim
