#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace espalier::tree {

/// Who sends to whom, in which order.
///
/// Holds any subset of the ranks 0 .. size-1 (a multicast); the root is always in it. Children keep
/// the order in which they are sent to. Flat: 16 bytes a rank, appending is O(1).
///
/// Invariant: what is in it hangs together below the root, without a cycle, since a child can only
/// be appended to a member and only once.
class CommTree {
 public:
  /// @pre root < size
  CommTree(Rank size, Rank root);

  /// @pre parent is a member, child is a rank and not a member yet
  void append_child(Rank parent, Rank child);

  [[nodiscard]] Rank size() const { return static_cast<Rank>(links_.size()); }
  [[nodiscard]] Rank root() const { return root_; }
  [[nodiscard]] Rank member_count() const { return member_count_; }
  [[nodiscard]] bool contains(Rank rank) const { return links_[rank].parent != kNoRank; }
  /// The rank that sends to this one; the root is its own parent. @pre contains(rank)
  [[nodiscard]] Rank parent(Rank rank) const;
  /// The ranks that this one sends to, in the order of sending.
  [[nodiscard]] std::vector<Rank> children(Rank rank) const;
  [[nodiscard]] Rank first_child(Rank rank) const { return links_[rank].first_child; }
  /// The next child of the same parent, or kNoRank.
  [[nodiscard]] Rank next_sibling(Rank rank) const { return links_[rank].next_sibling; }

  /// The root first, every parent before its children, siblings in order (depth-first).
  [[nodiscard]] std::vector<Rank> preorder() const;
  /// Longest way from the root, in edges.
  [[nodiscard]] Rank height() const;

  friend bool operator==(const CommTree&, const CommTree&) = default;

 private:
  struct Links {
    Rank parent = kNoRank;
    Rank first_child = kNoRank;
    Rank last_child = kNoRank;
    Rank next_sibling = kNoRank;
    friend bool operator==(const Links&, const Links&) = default;
  };
  std::vector<Links> links_;
  Rank root_;
  Rank member_count_ = 1;
};

/// The same tree with every rank's children in reverse.
///
/// A broadcast sends to the children in the order in which a CommTree holds them; a reduction or
/// gather along the same tree is that broadcast backwards in time, so it receives the last one
/// first. This gives the one order from the other: mirrored(mirrored(t)) == t. O(members).
[[nodiscard]] CommTree mirrored(const CommTree& tree);

}  // namespace espalier::tree
