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
  struct FoldedItem {
    Action action;                 ///< the action; for a loop, how often it runs
    std::vector<FoldedItem> body;  ///< loops only: what is repeated
    std::uint64_t hash = 0;        ///< ignores how long computations took and how often loops ran
    std::uint64_t times = 1;       ///< number of computations that `takes` is the sum of
    std::uint32_t depth = 0;       ///< how deep loops are nested in it
  };
  static bool equal(const FoldedItem& a, const FoldedItem& b);
  static void absorb(FoldedItem& into, const FoldedItem& from);
  static void append(const FoldedItem& item, std::vector<Action>& out);
  bool fold_once();

  /// What of an item tells most lengths that do not fit, close together.
  struct ItemKey {
    std::uint64_t hash = 0;
    std::uint64_t last_of_body = 0;  ///< loops only: hash of the last item of the body
    std::size_t body = 0;            ///< loops only: length of the body
  };
  void push(FoldedItem item);
  void drop(std::size_t count);

  std::size_t window_;
  std::vector<FoldedItem> items_;
  std::vector<ItemKey> keys_;  ///< key of each of items_
};

}  // namespace espalier::profile
