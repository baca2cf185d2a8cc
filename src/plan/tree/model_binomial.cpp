#include "tree/model_binomial.hpp"

#include <algorithm>
#include <numeric>

#include "tree/binomial.hpp"

namespace espalier::tree {
namespace {

/// The shape alone: place 0 is the root's.
CommTree shape_of(Rank places) { return binomial(everybody(places, 0)); }

}  // namespace

// K. Dichev, V. Rychkov, A. Lastovetsky: "Two algorithms of irregular scatter/gather operations for
// heterogeneous platforms", EuroMPI 2010, "model-based binomial tree scatter/gather" with
// "minimum-first" and "maximum-first" mapping.
CommTree model_binomial(const IrregularRequest& request, Mapping mapping) {
  expects_valid(request);
  const CommTree shape = shape_of(request.who.count());
  NearestFree free(request, mapping);
  std::vector<Rank> rank_at(shape.size(), kNoRank);
  rank_at[0] = request.who.root;
  std::vector<Rank> places{0};  // a stack: the next one to fill is on top
  while (!places.empty()) {
    const Rank place = places.back();
    places.pop_back();
    if (place != 0) rank_at[place] = free.take_for(rank_at[shape.parent(place)]);
    // binomial() has the greatest sub-tree first, so the smallest comes to lie on top.
    for (Rank c = shape.first_child(place); c != kNoRank; c = shape.next_sibling(c)) {
      places.push_back(c);
    }
  }
  CommTree tree(request.who.machine_size, request.who.root);
  for (const Rank place : shape.preorder()) {
    if (place != 0) tree.append_child(rank_at[shape.parent(place)], rank_at[place]);
  }
  return tree;
}

}  // namespace espalier::tree
