#pragma once

#include <vector>

#include "group/choose_root.hpp"

namespace espalier::group {

/// Which way calls with roots of the user's choice go, when nobody knows how many more will come.
///
/// For each root the time is added up that its calls would have taken less on a tree of its own. A
/// tree is made when that comes to what making it takes: as in renting skis or buying them (A.
/// Karlin, M. Manasse, L. Rudolph, D. Sleator, "Competitive snoopy caching", Algorithmica 1988) all
/// calls together then take at most twice as long, and one call, as if their number had been known.
///
/// The same calls in the same order give the same answers, so all members decide alike. Memory is
/// O(1): of many roots the kAccounts used last are remembered, and kTrees at most get trees.
class RootAccounts {
 public:
  static constexpr std::size_t kAccounts = 16;
  static constexpr std::size_t kTrees = 4;

  /// Counts one call. @param plain the way that it would go otherwise, Forward or AnyVertex
  /// @pre call.calls == 1
  [[nodiscard]] RootWay count(const GroupView& view, const RootUse& call, RootWay plain,
                              const model::CostModel& model);
  [[nodiscard]] std::size_t bytes_on_heap() const { return accounts_.capacity() * sizeof(Account); }

 private:
  struct Account {
    Rank root = 0;
    bool has_tree = false;
    Time forgone;
  };
  std::vector<Account> accounts_;  // ordered by last use, the latest at the end
};

}  // namespace espalier::group
