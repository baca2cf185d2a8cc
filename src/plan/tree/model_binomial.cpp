#include <algorithm>
#include <map>
#include <vector>

#include "base/contract.hpp"
#include "tree/irregular_trees.hpp"
#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

/// The ranks without a place yet, in the order of t(parent, i, m_i) for any parent.
///
/// One heap for each kind of parent (IrregularRequest::kinds), made when the first of them asks:
/// O(kinds * P) questions to the model and O(kinds * P log P) in all, not O(P^2).
class NearestFree {
 public:
  NearestFree(const IrregularRequest& request, Mapping mapping);

  /// Takes one. Ties go to the lower rank. @pre one is free; parent is not
  [[nodiscard]] Rank take_for(Rank parent);

 private:
  struct Entry {
    Time time;
    Rank rank;
  };
  using Heap = std::vector<Entry>;

  [[nodiscard]] bool comes_later(const Entry& a, const Entry& b) const;
  [[nodiscard]] Heap heap_for(Rank parent) const;

  const IrregularRequest& request_;
  Mapping mapping_;
  std::vector<bool> is_free_;
  std::map<Rank, Heap> of_kind_;
};

NearestFree::NearestFree(const IrregularRequest& request, Mapping mapping)
    : request_(request), mapping_(mapping), is_free_(request.who.machine_size, false) {
  for (const Rank r : request.who.others) is_free_[r] = true;
}

bool NearestFree::comes_later(const Entry& a, const Entry& b) const {
  if (a.time != b.time)
    return mapping_ == Mapping::MinimumFirst ? a.time > b.time : a.time < b.time;
  return a.rank > b.rank;
}

NearestFree::Heap NearestFree::heap_for(Rank parent) const {
  Heap heap;
  heap.reserve(request_.who.others.size());
  for (const Rank r : request_.who.others) {
    if (is_free_[r]) heap.push_back({request_.time(parent, r, request_.bytes[r]), r});
  }
  std::make_heap(heap.begin(), heap.end(),
                 [&](const Entry& a, const Entry& b) { return comes_later(a, b); });
  return heap;
}

Rank NearestFree::take_for(Rank parent) {
  const Rank kind = request_.kind_of(parent);
  auto found = of_kind_.find(kind);
  if (found == of_kind_.end()) found = of_kind_.emplace(kind, heap_for(parent)).first;
  Heap& heap = found->second;
  while (true) {
    expects(!heap.empty(), "NearestFree: nobody is free");
    std::pop_heap(heap.begin(), heap.end(),
                  [&](const Entry& a, const Entry& b) { return comes_later(a, b); });
    const Rank rank = heap.back().rank;
    heap.pop_back();
    if (!is_free_[rank]) continue;  // another kind of parent has it
    is_free_[rank] = false;
    return rank;
  }
}

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
