#pragma once

#include "group/cluster_shape.hpp"
#include "group/endpoint.hpp"
#include "group/group_view.hpp"

namespace espalier::group {

/// What Rank-and-Hash does once the ranks are known (section 5, "Identifying tree neighbours").
///
/// Each rank i of a new group sends its id to two intermediaries, H_i and that of its parent; H_i,
/// when it has heard from i and all its children, tells each the other's ids. H_i is the process of
/// the parent group with rank (first + i + shift) mod n: a permutation, so that a process serves
/// one rank at most, and its memory is O(k) whatever the group. It is a rank of the parent group,
/// not of the world: nobody else needs to be awake.
///
/// If the group is to be routable, H_i also hears from all ranks (k i + c) mod m.
///
/// The tree is the breadth-first numbered one, or, with TreeForm::Given, any: then each rank knows
/// its own parent and children and tells H_i how many children there are.
class IdExchange {
 public:
  struct NewGroup {
    Rank size = 0;
    Rank first = 0;  ///< index of its rank 0 among all members of all new groups
  };

  enum class TreeForm : std::uint8_t { Heap, Given };

  IdExchange(Tag tag, const GroupView& parent, Rank degree, bool routable,
             TreeForm shape = TreeForm::Heap);

  /// The number of all members, of all groups: from now on it is known whether one has to serve.
  void set_total(Rank total) { total_ = total; }
  /// A member's rank in its group: sends its id out.
  void announce(Rank rank, const NewGroup& group, Endpoint& endpoint);
  /// The same for TreeForm::Given; there is one group.
  void announce_at(const Vertex& vertex, Rank size, Endpoint& endpoint);
  /// @return whether the message was one of the exchange
  bool receive(const Message& message, Endpoint& endpoint);

  /// Has served, if it had to, and knows its neighbours, if it is a member.
  /// @pre set_total() was called; announce() too, if this is a member
  [[nodiscard]] bool done() const;
  [[nodiscard]] const GroupView& view() const { return view_; }
  [[nodiscard]] std::size_t bytes_on_heap() const {
    return view_.bytes() - sizeof(GroupView) + served_.bytes_on_heap();
  }

 private:
  [[nodiscard]] Rank shifted(Rank index) const;
  [[nodiscard]] Rank true_children(Rank rank, Rank size) const;
  void tell(Rank about, Rank link, const NewGroup& group, Endpoint& endpoint, Rank children = 0);
  void tell_links(Rank before, const NewGroup& group, Endpoint& endpoint);
  void serve(const Words& words, Endpoint& endpoint);
  void introduce(Rank children, Endpoint& endpoint);
  void take_neighbours(std::span<const Id> ids);

  Tag tag_;
  const GroupView& parent_;
  GroupView view_;
  Rank total_ = kNoRank;
  Words served_;       // ids of the rank served, of its children and of its links, by number
  Rank children_ = 0;  // Given only: own number of children
  Rank served_children_ = kNoRank;  // Given only: children of the rank served, once it has said so
  std::uint16_t heard_ = 0;
  TreeForm shape_;
  bool routable_, has_served_ = false, knows_parent_ = false, knows_children_ = false;
};

}  // namespace espalier::group
