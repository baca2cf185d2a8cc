#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "select/cost_view.hpp"
#include "select/sharing.hpp"

namespace espalier::select {

/// A message that flows together with others.
struct Flow {
  Rank from = kNoRank;
  Rank to = kNoRank;
  double bytes = 0;
  Picos start = 0;          ///< in: handed over to the network
  Picos end = 0;            ///< out: its last byte is there
  Picos per_byte = 0;       ///< out: its share while all of them flow
  Picos latency = 0;        ///< out
  std::uint32_t level = 0;  ///< out
};

/// Counts of messages on every resource, quick to clear.
class Crossings {
 public:
  explicit Crossings(const CostView& cost_view) : counts_(cost_view.resources(), 0) {}
  void add(const sim::Route& route, std::uint32_t messages = 1);
  void clear();
  /// As if only that part of the messages were there at a time, but never none.
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

  /// Fills in the outs of the flows.
  /// @param others if given: messages that cross each resource meanwhile, these among them
  void settle(std::span<Flow> flows, const Crossings* others = nullptr);

 private:
  struct FlowPath {
    std::uint32_t first = 0, count = 0;  // into resources_
    Picos alone = 0;                     // what limits it that no other of the flows crosses
    Picos least = 0;                     // a byte takes at least that
  };
  struct Share {
    double rate = 0;
    sim::ResourceId holder = sim::kNoResource;
  };
  [[nodiscard]] Share share_of(const FlowPath& path) const;
  void settle_one(Flow& flow, const Crossings* others);
  void find_paths(std::span<Flow> flows);
  void fill(std::span<Flow> flows, const Crossings* others);
  void stagger(std::span<Flow> flows);
  void share(std::span<Flow> flows, std::span<const std::pair<sim::ResourceId, std::uint32_t>> here,
             sim::ResourceId resource, bool held);

  const CostView& cost_view_;
  Crossings counts_;
  sim::Route route_;
  std::vector<FlowPath> paths_;
  std::vector<sim::ResourceId> resources_;
  std::vector<double> left_;              // of each resource, while filling
  std::vector<std::uint32_t> waiting_;    // flows on it without a rate yet
  std::vector<sim::ResourceId> held_by_;  // of each flow: what holds it back, or kNoResource
  std::vector<std::pair<sim::ResourceId, std::uint32_t>> crossing_;  // resource, flow
  std::vector<Sharer> sharers_;
  // Lists of flows while filling, kept for their memory.
  std::vector<std::size_t> open_, settled_;
  std::vector<Share> shares_;
};

}  // namespace espalier::select
