#pragma once

#include "group/construction.hpp"
#include "group/id_exchange.hpp"

namespace espalier::group {

/// Section 5 of the paper: counts go up the parent's tree, ranks come down it, and intermediaries
/// make those who will be neighbours known to each other.
///
/// Memory O(k), time O(log n), messages of a few words. Messages, as the paper counts: n - 1 up,
/// down into each sub-tree with members, 2 m ids (one less: the root has no parent), m - 1 parents,
/// one for each rank with children. In addition one down into each sub-tree without members: who
/// serves there must learn whether it has to. The ranks are breadth-first, the tree of least
/// height.
class RankAndHash : public Construction {
 public:
  RankAndHash(Tag tag, const GroupView& parent, const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override { return ranked_ && exchange_.done(); }
  [[nodiscard]] GroupView view() const override { return exchange_.view(); }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  void pass_up(Endpoint& endpoint);
  void pass_down(Rank first, Rank size, Endpoint& endpoint);

  const GroupView& parent_;
  IdExchange exchange_;
  Tag tag_;
  std::uint32_t missing_;
  bool entered_ = false, member_ = false, ranked_ = false;
  Words counts_;  // members below each child of the parent's tree
};

}  // namespace espalier::group
