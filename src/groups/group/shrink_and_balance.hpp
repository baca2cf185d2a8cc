#pragma once

#include <vector>

#include "group/balance_plan.hpp"
#include "group/construction.hpp"

namespace espalier::group {

/// Section 4 of the paper. Going up, the parent's tree shrinks: the place of one that is no member
/// is filled from below. Going down, sub-trees that are too large give vertices to those with room.
///
/// Memory and largest message O(k log n); messages go between neighbours of the old and the new
/// tree, and between suppliers and consumers, never through intermediaries. The tree has the least
/// height; the ranks are depth-first.
///
/// Up (shrink.cpp). A position of the old tree is held by its own process or by a filler. Leaf
/// fillers: each position tells its parent a *removal sequence* of candidates, as many as it has
/// ancestors: the first is a leaf, each further one is a leaf once those before it are gone (with
/// current leaves only, members would get lost when several ancestors take fillers from one
/// branch). Who took how many becomes known on the way down, as one number for each child; the
/// sequence's holders split it among their own children. Child fillers: the root of the largest
/// sub-tree moves up, its own place is filled in the same way, and so on down to a leaf.
///
/// Down (balance.cpp, supply.cpp, graft.cpp). A vertex knows how many levels it may use, plans
/// (balance_plan.hpp) and tells each child: its rank, how many vertices come, and where its surplus
/// goes, as a list of (consumer, count). A supplier refines its list before it cuts it up for its
/// own children: it asks the consumers with the largest counts which of *their* children have room.
/// So sub-suppliers meet sub-consumers level by level, and thousands of vertices leave a sub-tree
/// in O(log n) steps. An answer costs two messages and saves one for each vertex that it speaks of.
/// At the end of a list with one entry stands a vertex that moves: it offers itself to that
/// consumer, which keeps it as a child or passes it on to a child with room. Where a missing child
/// would have to be built from many single vertices, a whole sub-tree is moved there first (graft).
class ShrinkAndBalance : public Construction {
 public:
  enum class Fillers : std::uint8_t { Leaves, Children };
  ShrinkAndBalance(Tag tag, const GroupView& parent, const ConstructionOptions& options,
                   Fillers fillers);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override;
  [[nodiscard]] GroupView view() const override { return view_; }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  /// A sub-tree below the position that one holds.
  struct Branch {
    Id root = kNobody;
    Rank size = 0;
    std::uint16_t taken = 0;     // how many of its removal sequence its ancestors took
    std::uint16_t position = 0;  // depth of its root's position on the old tree
    Rank waiting = 0;            // vertices that shall come into it and are not sent yet
    Rank rank = 0;               // rank of its root in the new group
    bool dissolved = false;      // all its vertices shall leave it
  };
  /// Who holds a position.
  struct Holder {
    Id id = kNobody;
    std::size_t branch = 0;          // fillers only: branch that it came from
    std::uint32_t fills_before = 0;  // fillers only: positions that it filled before and left again
  };
  /// Where a vertex that moves, or many of them, shall go.
  struct Target {
    Id consumer = kNobody;
    Rank count = 0;
    bool promised = false;  // goes into a missing child of the consumer itself
  };
  /// A child to be, and how many more vertices shall come below it.
  struct Slot {
    Rank rank = 0, size = 0;
    Rank to_come = 0;
    Id root = kNobody;
  };

  // Up.
  void shrink(Endpoint& endpoint);
  [[nodiscard]] std::vector<Branch> offered() const;
  [[nodiscard]] Holder chosen_filler();
  void offer_candidates(const Holder& holder, Words& offer);
  void send_fill(const Holder& filler, Endpoint& endpoint);
  [[nodiscard]] static Branch branch_at(const std::uint32_t* words, std::uint16_t position);
  void take_fill(const Words& words, Endpoint& endpoint);
  void take_fills_in_order(Endpoint& endpoint);
  // Down.
  void begin(Endpoint& endpoint);
  bool handle(const Message& message, Endpoint& endpoint);
  bool take_down(const Message& message, Endpoint& endpoint);
  bool give_graft(const Message& message, Endpoint& endpoint);
  void take_graft(const Message& message, Endpoint& endpoint);
  void take_placed(const Message& message, Endpoint& endpoint);
  void apply_taken(std::uint32_t taken);
  void plan(Endpoint& endpoint);
  [[nodiscard]] BalancePlan planned() const;
  bool graft_first(const BalancePlan& plan, Endpoint& endpoint);
  void settle(const BalancePlan& plan, Endpoint& endpoint);
  void send_down(const Branch& branch, Rank imports, std::span<const Target> targets,
                 Endpoint& endpoint);
  void refine(Endpoint& endpoint);
  void take_answer(const Words& words, Endpoint& endpoint);
  void supply(Endpoint& endpoint);
  std::vector<Target> allocate(Rank count, Id self);
  void answer(const Message& message, Endpoint& endpoint);
  void adopt(Id vertex, bool promised, Endpoint& endpoint);
  void put_in_slot(Id vertex, Endpoint& endpoint);
  [[nodiscard]] Rank exports() const;
  [[nodiscard]] Rank size_here() const;

  const GroupView& parent_;
  Tag tag_;
  Fillers fillers_;
  bool entered_ = false, member_ = false, shrunk_ = false, planned_ = false, leaving_ = false;
  std::uint8_t grafts_ = 0;
  std::uint16_t fills_heard_ = 0, fills_expected_ = 0;
  std::uint16_t position_;  // depth of the position that this process holds
  std::uint16_t levels_ = 0;
  std::uint32_t missing_;
  std::vector<Words> offers_;  // offers of the children on the parent's tree; empty once shrunk
  std::vector<Branch> branches_;
  std::vector<std::uint8_t> sequence_;  // branch of each candidate that was offered upwards
  std::vector<Words> fills_;            // child fillers only: those that came too early

  Rank imports_ = 0;
  Rank open_ = 0,
       promised_ = 0;  // vertices to come into slots: free ones, and those promised to somebody
  std::uint16_t answers_ = 0;  // answers that have not come yet
  std::vector<Target> targets_;
  std::vector<Rank> gives_;  // vertices that each branch gives; empty once supplied
  std::vector<Slot> slots_;
  std::vector<Message> early_;  // messages that cannot be handled yet
  GroupView view_;
};

}  // namespace espalier::group
