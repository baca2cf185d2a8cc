#pragma once

#include <vector>

#include "group/construction.hpp"
#include "group/id_exchange.hpp"

namespace espalier::group {

/// Rank-and-Hash for any number of colours at once (section 6, "Comparison with MPI_Comm_split").
///
/// The counts of each colour go up, the ranks of each colour come down, into a sub-tree only those
/// of its own colours. Memory and messages O(colours in a sub-tree): min(c, n) at the root, not
/// O(1); with as many colours as processes this is an allgather. The new groups' members are
/// numbered through, colour after colour, so that all together have one intermediary each.
class RankAndHashColours : public Construction {
 public:
  RankAndHashColours(Tag tag, const GroupView& parent, const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override { return ranked_ && exchange_.done(); }
  [[nodiscard]] GroupView view() const override { return exchange_.view(); }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  void pass_up(Endpoint& endpoint);
  void pass_down(Words entries, Rank total, Endpoint& endpoint);

  const GroupView& parent_;
  IdExchange exchange_;
  Tag tag_;
  std::uint32_t missing_;
  Colour colour_ = kNoColour;
  bool entered_ = false, ranked_ = false;
  std::vector<Words> counts_;  // (colour, members) below each child, ordered by colour
};

}  // namespace espalier::group
