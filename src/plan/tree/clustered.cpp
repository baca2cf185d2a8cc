// N. Karonis et al.: "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", IPDPS 2000, the multilevel tree, for blocks of unequal lengths; several
// carriers a cluster, and their choice by t(i, j, m), are ours.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "base/contract.hpp"
#include "tree/irregular_trees.hpp"

namespace espalier::tree {
namespace {

using Ranks = std::vector<Rank>;

/// Some ranks and who of them gets all their blocks from outside.
struct Share {
  Rank head = 0;
  Time arrives;
  Ranks others;
};

class Composer {
 public:
  Composer(const IrregularRequest& request, const topology::Machine& machine, const Clustering& how)
      : request_(request), machine_(machine), how_(how), tree_(machine.size(), request.who.root) {}

  CommTree run() && {
    below(request_.who.root, request_.who.others, 0);
    return std::move(tree_);
  }

 private:
  /// The cluster of a rank below the one of `depth`; leaves that lie there themselves stand alone.
  [[nodiscard]] std::uint64_t part_of(Rank rank, std::uint32_t depth) const {
    constexpr std::uint64_t kLeaves = std::uint64_t{1} << 32U;
    topology::ClusterId id = machine_.cluster_of(machine_.leaf_of(rank));
    if (machine_.clusters()[id].depth <= depth) return kLeaves + machine_.leaf_of(rank);
    while (machine_.clusters()[id].depth > depth + 1) id = machine_.clusters()[id].parent;
    return id;
  }

  [[nodiscard]] Bytes bytes_of(const Ranks& ranks) const {
    Bytes sum;
    for (const Rank r : ranks) sum.value += request_.bytes[r].value;
    return sum;
  }

  /// @pre some ranks
  [[nodiscard]] Share share(Rank parent, Ranks ranks) const {
    const Bytes all = bytes_of(ranks);
    const auto key = [&](Rank r) {
      return std::make_tuple(request_.time(parent, r, all), ~request_.bytes[r].value, r);
    };
    const auto head = std::min_element(ranks.begin(), ranks.end(),
                                       [&](Rank a, Rank b) { return key(a) < key(b); });
    Share found{*head, request_.time(parent, *head, all), {}};
    ranks.erase(head);
    found.others = std::move(ranks);
    return found;
  }

  /// The longest block to whoever has the least so far.
  [[nodiscard]] std::vector<Ranks> dealt(Ranks ranks, std::size_t shares) const {
    std::sort(ranks.begin(), ranks.end(), [&](Rank a, Rank b) {
      return std::tuple(~request_.bytes[a].value, a) < std::tuple(~request_.bytes[b].value, b);
    });
    shares = std::min(shares, ranks.size());
    std::vector<Ranks> dealt(shares);
    std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> least;  // (bytes, share)
    for (std::size_t s = 0; s < shares; ++s) least[{0, s}] = s;
    for (const Rank r : ranks) {
      auto node = least.extract(least.begin());
      dealt[node.mapped()].push_back(r);
      node.key().first += request_.bytes[r].value + 1;  // + 1: empty blocks are dealt round too
      least.insert(std::move(node));
    }
    return dealt;
  }

  void hang(Rank parent, std::vector<Share>& shares, std::uint32_t depth) {
    std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
      return a.arrives != b.arrives ? a.arrives > b.arrives : a.head < b.head;
    });
    for (const Share& s : shares) tree_.append_child(parent, s.head);
    for (Share& s : shares) below(s.head, s.others, depth);
  }

  void hang_tree(Rank parent, const Ranks& leaves) {
    const Participants who = multicast(machine_.size(), parent, leaves);
    const CommTree inside = model_traeff({who, request_.bytes, request_.model});
    for (const Rank r : inside.preorder()) {
      if (r != parent) tree_.append_child(inside.parent(r), r);
    }
  }

  /// Hangs `ranks`, which share the cluster of `depth` with the parent, below it.
  void below(Rank parent, const Ranks& ranks, std::uint32_t depth) {
    if (ranks.empty()) return;
    const std::uint64_t own = part_of(parent, depth);
    const bool innermost = machine_.depth(parent) == depth + 1;
    std::map<std::uint64_t, Ranks> parts;
    for (const Rank r : ranks) parts[part_of(r, depth)].push_back(r);
    Ranks leaves;
    std::vector<Share> shares;
    for (auto& [part, members] : parts) {
      if (part == own) continue;
      if (members.size() == 1 && innermost) {
        leaves.push_back(members.front());
        continue;
      }
      for (Ranks& some : dealt(std::move(members), depth == 0 ? how_.carriers : 1)) {
        shares.push_back(share(parent, std::move(some)));
      }
    }
    if (innermost && how_.trees_inside && !leaves.empty()) {
      hang(parent, shares, depth + 1);
      return hang_tree(parent, leaves);
    }
    for (const Rank r : leaves) shares.push_back(share(parent, {r}));
    hang(parent, shares, depth + 1);
    const auto same = parts.find(own);
    if (same != parts.end()) below(parent, same->second, depth + 1);
  }

  const IrregularRequest& request_;
  const topology::Machine& machine_;
  const Clustering& how_;
  CommTree tree_;
};

}  // namespace

CommTree clustered(const IrregularRequest& request, const topology::Machine& machine,
                   const Clustering& how) {
  expects_valid(request);
  expects(machine.size() == request.who.machine_size,
          "clustered: machine and model differ in size");
  expects(how.carriers > 0, "clustered: nobody carries");
  return Composer(request, machine, how).run();
}

}  // namespace espalier::tree
