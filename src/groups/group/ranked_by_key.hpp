#pragma once

#include <array>
#include <map>

#include "group/construction.hpp"
#include "group/id_exchange.hpp"

namespace espalier::group {

/// Ranks of the user's choice: the members of a group in the order of (key, rank in the parent).
///
/// Each member carries one key through a sorting network over the parent's ranks; whoever holds a
/// key at the end tells its owner the new rank, and Rank-and-Hash's exchange of ids makes the tree.
/// About log^2 m / 2 messages a member, each along a route of the parent; memory O(1), and what has
/// come too early: one message a round at most.
class RankedByKey : public Construction {
 public:
  RankedByKey(Tag tag, const GroupView& parent, std::uint64_t key,
              const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override { return sorted_ && ranked_ && exchange_.done(); }
  [[nodiscard]] GroupView view() const override { return exchange_.view(); }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  struct Item {
    std::uint64_t key = 0;
    Rank rank = kNoRank;  // of its owner, in the parent
    Id owner = kNobody;
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  static Item item(const Words& words);
  void go_on(Endpoint& endpoint);

  Tag tag_;
  const GroupView& parent_;
  IdExchange exchange_;
  Item held_;
  std::uint32_t round_ = 0;
  bool entered_ = false, waits_ = false, sorted_ = false, ranked_ = false;
  std::map<std::uint32_t, Item> came_;  // by round
};

}  // namespace espalier::group
