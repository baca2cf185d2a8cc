#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/machine.hpp"

namespace espalier::sim {

using ResourceId = std::uint32_t;
inline constexpr ResourceId kNoResource = ~ResourceId{0};

/// A capacity of the machine that messages share.
struct Resource {
  enum class Kind : std::uint8_t {
    LeafOut,      ///< outgoing half of a process's uplink; `id` is the leaf
    LeafIn,       ///< incoming half of a process's uplink; `id` is the leaf
    LeafBoth,     ///< half-duplex uplink of a process; `id` is the leaf
    ClusterOut,   ///< outgoing half of a cluster's uplink; `id` is the cluster
    ClusterIn,    ///< incoming half of a cluster's uplink; `id` is the cluster
    ClusterBoth,  ///< half-duplex uplink of a cluster; `id` is the cluster
    Backbone,     ///< backbone of cluster `id`
    PairForth,    ///< direct link from member `a` to member `b` of cluster `id`
    PairBack,     ///< direct link from member `b` to member `a` of cluster `id`
  };
  Kind kind = Kind::LeafOut;
  std::uint32_t id = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Bandwidth capacity;
  friend bool operator==(const Resource&, const Resource&) = default;
};

/// What a message from one rank to another passes. Made by Network::find_route(), which uses its
/// memory again and again.
class Route {
 public:
  Route() = default;
  /// One by hand, for tests.
  explicit Route(std::vector<ResourceId> resources, Bandwidth flow_cap = kUnlimited)
      : cap(flow_cap), storage_(std::move(resources)), count_(storage_.size()) {}

  std::uint32_t level = 0;     ///< Path::level
  Time latency;                ///< Path::latency
  Bandwidth cap = kUnlimited;  ///< limit of each single flow

  /// The limited resources on the route, each once.
  [[nodiscard]] std::span<const ResourceId> resources() const {
    return std::span(storage_).first(count_);
  }
  /// Whether anything on the way limits it.
  [[nodiscard]] bool limited() const { return count_ != 0 || !cap.unlimited(); }

 private:
  friend class Network;
  void cross(ResourceId resource) {
    if (resource != kNoResource) storage_[count_++] = resource;
  }
  std::vector<ResourceId> storage_;
  std::size_t count_ = 0;
};

/// The limited resources of a machine, numbered, and the routes over them. Follows
/// Machine::path(): the narrowest of a route's resources and its cap is the path's bandwidth.
class Network {
 public:
  explicit Network(const topology::Machine& machine);

  [[nodiscard]] std::span<const Resource> resources() const { return resources_; }
  /// Most resources on any route.
  [[nodiscard]] std::size_t longest_route() const { return longest_route_; }
  /// The longest latency of all channels and direct links; uplinks may add to it.
  [[nodiscard]] Time longest_latency() const { return longest_latency_; }
  /// Writes the route into `route`, whose memory is used again. O(depth).
  void find_route(Rank from, Rank to, Route& route) const;

 private:
  using Leaf = topology::Leaf;
  using ClusterId = topology::ClusterId;
  struct Uplink {
    ResourceId out = kNoResource;
    ResourceId in = kNoResource;
    Time latency;
  };
  struct LeafNode {
    ClusterId cluster = 0;
    std::uint32_t index = 0;
    Uplink uplink;
  };
  struct ClusterNode {
    std::uint32_t depth = 0;
    ResourceId backbone = kNoResource;
    Time latency;
    Bandwidth flow_cap;
    std::uint32_t first_pair = 0;
    std::uint32_t pair_count = 0;
    std::uint32_t first_climb = 0;  ///< index into climbs_ of its depth + 1 entries
    std::uint32_t first_out = 0;
    std::uint32_t first_in = 0;
  };
  /// The state after a number of clusters were left on the path up (or entered on the path down).
  struct Climb {
    ClusterId at = 0;
    std::uint32_t index = 0;  ///< position of the last cluster left, among the members of `at`
    std::uint32_t outs = 0;   ///< number of the cluster's entries in outs_ that are passed
    std::uint32_t ins = 0;    ///< number of the cluster's entries in ins_ that are passed
    Time latency;
  };
  struct PairNode {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    ResourceId forth = kNoResource;
    ResourceId back = kNoResource;
    Time latency;
  };

  ResourceId add(Resource resource);
  Uplink add_uplink(const topology::Uplink& uplink, bool of_leaf, std::uint32_t id);
  void add_climbs(const topology::Machine& machine, ClusterId id, const Uplink& uplink);
  void cross_pair(const ClusterNode& meeting, std::uint32_t x, std::uint32_t y, Route& route) const;

  std::vector<Resource> resources_;
  std::vector<LeafNode> ranks_;  ///< [rank], not by leaf
  std::vector<ClusterNode> clusters_;
  std::vector<Climb> climbs_;
  std::vector<ResourceId> outs_;  ///< resources on the path up to the top, one list a cluster
  std::vector<ResourceId> ins_;   ///< resources on the path down from the top, one list a cluster
  std::vector<PairNode> pairs_;
  std::size_t longest_route_ = 0;
  Time longest_latency_;
};

/// "uplink out of anl.m1", "backbone of the whole machine".
[[nodiscard]] std::string describe(const Resource& resource, const topology::Machine& machine);

}  // namespace espalier::sim
