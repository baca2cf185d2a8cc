#include <algorithm>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

using Children = std::vector<std::vector<Rank>>;

// h, a child of p, takes p's place below `above` and serves p with the same send by which p served
// h:
//
//      above                  above
//        |                      |
//        p                      h
//     /  |  \        ->      /  |  \           a: served by p before h     c: served by h
//    a   h   b              a   p   c          b: served by p after h
//        |                      |
//        c                      b
//
// With c_h < c_p all of a, b and c are served earlier or at the same time: say h was the q-th
// child, then the r-th of b was served at q c_p + r c_p after p, now at q c_h + r c_p; the r-th of
// c at q c_p + r c_h, now at q c_h + r c_h.
void exchange(Children& children, Rank above, Rank p, Rank h) {
  std::replace(children[above].begin(), children[above].end(), p, h);
  std::vector<Rank>& of_p = children[p];
  std::vector<Rank>& of_h = children[h];
  const auto at = std::find(of_p.begin(), of_p.end(), h);
  std::vector<Rank> of_h_now(of_p.begin(), at);
  of_h_now.push_back(p);
  of_h_now.insert(of_h_now.end(), of_h.begin(), of_h.end());
  of_p.erase(of_p.begin(), at + 1);
  of_h = std::move(of_h_now);
}

}  // namespace

// As a heap is made: from the last to the first, each rank sinks below faster children, of which
// the fastest goes up. What it sinks into keeps the order, and has fewer ranks each time.
CommTree with_faster_parents(const CommTree& tree, std::span<const Time> send_cost) {
  expects(send_cost.size() == tree.size(), "with_faster_parents: not one cost for each rank");
  const auto faster = [&](Rank a, Rank b) {
    return std::pair(send_cost[a], a) < std::pair(send_cost[b], b);
  };
  const std::vector<Rank> order = tree.preorder();
  Children children(tree.size());
  for (const Rank r : order) children[r] = tree.children(r);
  for (auto r = order.rbegin(); *r != tree.root(); ++r) {
    Rank above = tree.parent(*r);
    while (!children[*r].empty()) {
      const Rank h = *std::min_element(children[*r].begin(), children[*r].end(), faster);
      if (send_cost[h] >= send_cost[*r]) break;
      exchange(children, above, *r, h);
      above = h;
    }
  }

  CommTree made(tree.size(), tree.root());
  std::vector<Rank> open{tree.root()};
  while (!open.empty()) {
    const Rank parent = open.back();
    open.pop_back();
    for (const Rank c : children[parent]) made.append_child(parent, c);
    open.insert(open.end(), children[parent].begin(), children[parent].end());
  }
  return made;
}

bool has_faster_parents(const CommTree& tree, std::span<const Time> send_cost) {
  const std::vector<Rank> order = tree.preorder();
  return std::all_of(order.begin(), order.end(), [&](Rank r) {
    return r == tree.root() || tree.parent(r) == tree.root() ||
           send_cost[tree.parent(r)] <= send_cost[r];
  });
}

}  // namespace espalier::tree
