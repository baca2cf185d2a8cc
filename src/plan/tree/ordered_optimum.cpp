#include <algorithm>
#include <vector>

#include "base/contract.hpp"
#include "tree/irregular_trees.hpp"

namespace espalier::tree {
namespace {

/// Places are the participants in the order of their ranks; a run [first, last] of them.
class Search {
 public:
  explicit Search(const IrregularRequest& request) : request_(request), ranks_(request.who.others) {
    ranks_.push_back(request.who.root);
    std::sort(ranks_.begin(), ranks_.end());
    n_ = ranks_.size();
    best_.resize(n_ * n_ * n_, {Time{0}, 0, 0});
    sums_.push_back(0);
    for (const Rank r : ranks_) sums_.push_back(sums_.back() + request.bytes[r].value);
    for (std::size_t length = 2; length <= n_; ++length) {
      for (std::size_t first = 0; first + length <= n_; ++first) {
        for (std::size_t root = first; root < first + length; ++root) {
          solve(first, first + length - 1, root);
        }
      }
    }
  }

  OrderedOptimum result() const {
    const auto at = std::lower_bound(ranks_.begin(), ranks_.end(), request_.who.root);
    const auto root = static_cast<std::size_t>(at - ranks_.begin());
    OrderedOptimum found{CommTree(request_.who.machine_size, request_.who.root),
                         best(0, n_ - 1, root).time};
    hang(found.tree, 0, n_ - 1, root);
    return found;
  }

 private:
  struct Best {
    Time time;
    std::size_t middle;  ///< end of the left run
    std::size_t child;   ///< rank that receives the run without the root
  };

  Best& best(std::size_t first, std::size_t last, std::size_t root) {
    return best_[(first * n_ + last) * n_ + root];
  }
  [[nodiscard]] const Best& best(std::size_t first, std::size_t last, std::size_t root) const {
    return best_[(first * n_ + last) * n_ + root];
  }

  void solve(std::size_t first, std::size_t last, std::size_t root) {
    Best found{kForever, 0, 0};
    for (std::size_t middle = first; middle < last; ++middle) {
      const bool root_left = root <= middle;
      const Time kept =
          root_left ? best(first, middle, root).time : best(middle + 1, last, root).time;
      const std::size_t begin = root_left ? middle + 1 : first;
      const std::size_t end = root_left ? last : middle;
      if (kept >= found.time) continue;
      const Bytes sent{sums_[end + 1] - sums_[begin]};
      for (std::size_t child = begin; child <= end; ++child) {
        const Time time = request_.time(ranks_[root], ranks_[child], sent) +
                          std::max(kept, best(begin, end, child).time);
        if (time < found.time) found = {time, middle, child};
      }
    }
    best(first, last, root) = found;
  }

  void hang(CommTree& tree, std::size_t first, std::size_t last, std::size_t root) const {
    if (first == last) return;
    const Best& here = best(first, last, root);
    const bool root_left = root <= here.middle;
    tree.append_child(ranks_[root], ranks_[here.child]);
    if (root_left) {
      hang(tree, here.middle + 1, last, here.child);
      hang(tree, first, here.middle, root);
    } else {
      hang(tree, first, here.middle, here.child);
      hang(tree, here.middle + 1, last, root);
    }
  }

  const IrregularRequest& request_;
  std::vector<Rank> ranks_;
  std::size_t n_ = 0;
  std::vector<Best> best_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

// J. L. Traeff: "On optimal trees for irregular gather and scatter collectives", IEEE Transactions
// on Parallel and Distributed Systems 30(9), 2019 (first 2017), the dynamic programme for ordered
// trees under one-ported communication; ours lets each pair of ranks have its own times.
OrderedOptimum ordered_optimum(const IrregularRequest& request) {
  expects_valid(request);
  expects(request.who.count() <= kOrderedOptimumUpTo, "ordered_optimum: too many ranks");
  return Search(request).result();
}

}  // namespace espalier::tree
