#pragma once

#include <vector>

#include "group/construction.hpp"

namespace espalier::group {

/// Section 3 of the paper: the ids of all members are gathered along the parent's tree; the list
/// goes to the first of them, which keeps its place and scatters the rest along the new tree.
///
/// Messages: n - 1 up, m - 1 down, and one with the list if the parent's root is no member. Memory
/// and largest message O(m). The ranks are breadth-first.
class Centralized : public Construction {
 public:
  Centralized(Tag tag, const GroupView& parent, const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override { return done_; }
  [[nodiscard]] GroupView view() const override { return view_; }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  void pass_up(Endpoint& endpoint);
  void scatter(Rank rank, Rank size, Id parent, std::span<const Id> members, Endpoint& endpoint);

  const GroupView& parent_;
  Tag tag_;
  std::uint16_t degree_;
  bool entered_ = false, member_ = false, done_ = false;
  std::uint32_t missing_;
  std::vector<Words> lists_;  // members below each child of the parent's tree
  GroupView view_;
};

}  // namespace espalier::group
