#include "group/root_accounts.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::group {

RootWay RootAccounts::count(const GroupView& view, const RootUse& call, RootWay plain,
                            const model::CostModel& model) {
  expects(call.calls == 1 && plain != RootWay::OwnTree, "RootAccounts: one call, and a plain way");
  if (call.root == 0) return plain;
  auto it = std::find_if(accounts_.begin(), accounts_.end(),
                         [&](const Account& account) { return account.root == call.root; });
  Account account{call.root, false, {}};
  if (it == accounts_.end() && accounts_.size() == kAccounts) {
    it = std::find_if(accounts_.begin(), accounts_.end(),
                      [](const Account& old) { return !old.has_tree; });
  } else if (it != accounts_.end()) {
    account = *it;
  }
  if (it != accounts_.end()) accounts_.erase(it);

  RootUse none = call;
  none.calls = 0;
  const Time making = root_time(RootWay::OwnTree, view, none, model);
  const Time on_own_tree = root_time(RootWay::OwnTree, view, call, model) - making;
  account.forgone += root_time(plain, view, call, model) - on_own_tree;
  const auto trees = static_cast<std::size_t>(std::count_if(
      accounts_.begin(), accounts_.end(), [](const Account& other) { return other.has_tree; }));
  if (account.forgone >= making && trees < kTrees) account.has_tree = true;
  accounts_.push_back(account);
  return account.has_tree ? RootWay::OwnTree : plain;
}

}  // namespace espalier::group
