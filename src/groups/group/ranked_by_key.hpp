#pragma once

#include <array>
#include <map>
#include <optional>

#include "base/types.hpp"
#include "group/construction.hpp"
#include "group/id_exchange.hpp"

namespace espalier::group {

/// K. E. Batcher's merge exchange sort for any number of items: D. E. Knuth, "The Art of Computer
/// Programming", volume 3, section 5.2.2, Algorithm M. A sorting network of O(log^2 size) rounds;
/// in each an item has one partner at most.
/// @return how many rounds there are
[[nodiscard]] std::uint32_t merge_exchange_rounds(Rank size);

/// Whom a position is compared with; the lower position keeps the smaller item.
/// @pre position < size, round < merge_exchange_rounds(size)
[[nodiscard]] std::optional<Rank> merge_exchange_partner(Rank position, Rank size,
                                                         std::uint32_t round);

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
  struct KeyAndOwner {
    std::uint64_t key = 0;
    Rank rank = kNoRank;  // rank of the owner in the parent
    Id owner = kNobody;
    friend auto operator<=>(const KeyAndOwner&, const KeyAndOwner&) = default;
  };
  static KeyAndOwner key_and_owner(const Words& words);
  void go_on(Endpoint& endpoint);

  Tag tag_;
  const GroupView& parent_;
  IdExchange exchange_;
  KeyAndOwner held_;
  std::uint32_t round_ = 0;
  bool entered_ = false, waits_ = false, sorted_ = false, ranked_ = false;
  std::map<std::uint32_t, KeyAndOwner> came_;  // keys that came, by round
};

}  // namespace espalier::group
