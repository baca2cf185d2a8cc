#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "group/choose_root.hpp"
#include "group/combine.hpp"
#include "group/endpoint.hpp"

namespace espalier::group {

/// The neighbour on the tree that leads to a rank. @pre the rank is not one's own
[[nodiscard]] Id tree_hop(const GroupView& view, Rank target);

/// One member's part in a collective on the group's tree, as a state machine. Data go in segments,
/// each by itself, so that a long message is in all levels of the tree at a time. What the endpoint
/// has no room for waits as a number, not as a copy, for the next pump().
class TreeOperation {
 public:
  enum class Kind : std::uint8_t { Broadcast, Reduce, Allreduce };
  struct Call {
    Kind kind = Kind::Broadcast;
    std::uint32_t sequence = 0;
    Rank root = 0;  ///< an allreduce takes the tree's root
    /// Input: own contribution; output: the result, at members that get it.
    std::span<std::byte> data;
    Combine combine;
    /// AnyVertex or Forward; OwnTree is an operation on another group.
    RootWay way = RootWay::AnyVertex;
    /// Length of a segment, equal on all members; 0: whole messages.
    std::size_t segment_bytes = 0;
  };

  /// @pre the place and the data outlive it
  TreeOperation(Tag tag, const GroupView& view, Call call);

  void start(Endpoint& endpoint);
  /// A message of a member whose call is another (kind, length, segments) goes no further:
  /// Endpoint::refuse_call().
  void receive(const Message& message, Endpoint& endpoint);
  /// Sends what waits, as far as there is room. @return whether something waits still
  bool pump(Endpoint& endpoint);
  /// All that this member had to send was given to the endpoint, and its data are there.
  [[nodiscard]] bool done() const { return open_ == 0 && waiting_.empty(); }

 private:
  enum Stage : std::uint32_t { In, Out, Result };
  /// A segment to be sent.
  struct Waiting {
    Stage stage = In;
    std::uint32_t index = 0;
    Id from = kNobody;  // Out only: who sent it
  };

  [[nodiscard]] std::uint32_t sign(Stage stage) const;
  [[nodiscard]] bool fits(const Words& words);
  [[nodiscard]] std::span<std::byte> segment(std::uint32_t index);
  [[nodiscard]] Message packed(Stage stage, std::uint32_t index);
  void close_segment();
  void contribute(std::uint32_t index);
  [[nodiscard]] bool has_room(const Waiting& next, const Endpoint& endpoint) const;
  void send(const Waiting& next, Endpoint& endpoint);
  void store(const Words& words);
  [[nodiscard]] std::vector<Id> neighbours() const;

  Tag tag_;
  const GroupView& view_;
  Call call_;
  Rank inner_root_;  // vertex that the tree's edges lead to or come from
  Id towards_ = kNobody;
  std::uint32_t segments_ = 1, expected_ = 0, open_ = 0;
  std::vector<std::uint32_t> heard_;  // number of messages that came, for each segment
  std::vector<std::byte> sum_;        // reductions only: own copy of the data
  std::deque<Waiting> waiting_;
};

}  // namespace espalier::group
