#include "tree/local_search.hpp"

#include <algorithm>
#include <vector>

#include "base/random.hpp"

namespace espalier::tree {
namespace {

/// A tree that can be changed.
class Draft {
 public:
  explicit Draft(const CommTree& tree)
      : root_(tree.root()),
        members_(tree.preorder()),
        parent_(tree.size(), kNoRank),
        children_(tree.size()) {
    for (const Rank r : members_) {
      parent_[r] = tree.parent(r);
      children_[r] = tree.children(r);
    }
  }

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] Rank any(Random& rng) const { return members_[rng.below(members_.size())]; }
  [[nodiscard]] Rank any_but_root(Random& rng) const {
    return members_[1 + rng.below(members_.size() - 1)];  // the root is first in preorder
  }
  /// Any, but often near the root: those decide more.
  [[nodiscard]] Rank likely_parent(Random& rng) const {
    Rank r = any(rng);
    while (r != root_ && rng.chance(50)) r = parent_[r];
    return r;
  }

  void move_below(Rank rank, Rank parent, Random& rng) {
    if (is_below(parent, rank)) return;
    std::erase(children_[parent_[rank]], rank);
    auto& siblings = children_[parent];
    siblings.insert(siblings.begin() + static_cast<std::ptrdiff_t>(rng.below(siblings.size() + 1)),
                    rank);
    parent_[rank] = parent;
  }
  void move_in_order(Rank rank, Random& rng) { move_below(rank, parent_[rank], rng); }
  /// The sub-trees stay where they are.
  void swap(Rank a, Rank b) {
    if (a == b) return;
    for (std::vector<Rank>& list : children_) {
      for (Rank& r : list) r = r == a ? b : r == b ? a : r;
    }
    std::swap(children_[a], children_[b]);
    for (const Rank p : members_) {
      for (const Rank c : children_[p]) parent_[c] = p;
    }
  }

  [[nodiscard]] CommTree tree() const {
    CommTree result(static_cast<Rank>(parent_.size()), root_);
    std::vector<Rank> todo{root_};
    while (!todo.empty()) {
      const Rank parent = todo.back();
      todo.pop_back();
      for (const Rank c : children_[parent]) {
        result.append_child(parent, c);
        todo.push_back(c);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] bool is_below(Rank rank, Rank ancestor) const {
    while (rank != ancestor && rank != root_) rank = parent_[rank];
    return rank == ancestor;
  }

  Rank root_;
  std::vector<Rank> members_;
  std::vector<Rank> parent_;
  std::vector<std::vector<Rank>> children_;
};

void change(Draft& draft, Random& rng) {
  const std::uint64_t kind = rng.below(4);
  const Rank rank = draft.any_but_root(rng);
  if (kind <= 1) return draft.move_below(rank, draft.likely_parent(rng), rng);
  if (kind == 2) return draft.swap(rank, draft.any_but_root(rng));
  draft.move_in_order(rank, rng);
}

}  // namespace

CommTree improved(const CommTree& start, const std::function<Time(const CommTree&)>& time_of,
                  const SearchLimits& limits) {
  if (start.member_count() < 3) return start;
  Draft best(start);
  CommTree best_tree = start;
  Time best_time = time_of(start);
  Random rng(limits.seed);
  for (std::uint32_t trial = 0; trial < limits.trials; ++trial) {
    Draft draft = best;
    change(draft, rng);
    if (rng.chance(30)) change(draft, rng);
    CommTree tree = draft.tree();
    const Time time = time_of(tree);
    if (time > best_time) continue;
    best = std::move(draft);
    best_tree = std::move(tree);
    best_time = time;
  }
  return best_tree;
}

}  // namespace espalier::tree
