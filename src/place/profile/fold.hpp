#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"

namespace espalier::profile {

/// Takes one process's actions as they happen and folds what repeats into loops, so that a recorder
/// needs room for a program's shape and not for its length.
///
/// After each action: if the last L items equal the L before them they become a loop of two rounds,
/// and if they equal the body of the loop before them that loop has one round more; L up to
/// `window`, the shortest first. Computations are equal whatever they took; a loop's stand for the
/// mean. O(window) comparisons of hashes an action.
///
/// An action of another kind may bring the computation before it along, as its `takes`: a
/// recorder's actions all do, and half as many items are compared.
class Folder {
 public:
  explicit Folder(std::size_t window = 64) : window_(window) {}

  void add(const Action& action);
  /// All that was added; loops deeper than kMaxLoopDepth are never made.
  [[nodiscard]] std::vector<Action> finish() const;
  /// Items that are kept now.
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  struct Item {
    Action action;            ///< of a loop: its times
    std::vector<Item> body;   ///< of a loop
    std::uint64_t hash = 0;   ///< of all but how long computations took, and how often loops ran
    std::uint64_t times = 1;  ///< how many computations `takes` is the sum of
    std::uint32_t depth = 0;  ///< of loops
  };
  static bool equal(const Item& a, const Item& b);
  static void absorb(Item& into, const Item& from);
  static void append(const Item& item, std::vector<Action>& out);
  bool fold_once();

  /// What of an item tells most lengths that do not fit, close together.
  struct Key {
    std::uint64_t hash = 0;
    std::uint64_t last_of_body = 0;  ///< of a loop: the hash
    std::size_t body = 0;            ///< of a loop: its length
  };
  void push(Item item);
  void drop(std::size_t count);

  std::size_t window_;
  std::vector<Item> items_;
  std::vector<Key> keys_;  ///< of items_
};

}  // namespace espalier::profile
