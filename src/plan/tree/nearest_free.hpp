#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tree/irregular.hpp"

namespace espalier::tree {

/// Which of the ranks that are still free a parent takes next.
enum class Mapping : std::uint8_t {
  MinimumFirst,  ///< least t(parent, i, m_i): on a hierarchy of clusters, neighbours
  MaximumFirst,  ///< greatest: on one switch, the long blocks near the root
};

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

}  // namespace espalier::tree
