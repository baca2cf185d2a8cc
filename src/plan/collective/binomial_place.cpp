#include "collective/binomial_place.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::collective {

BinomialPlace binomial_place(Rank position, Rank size) {
  expects(position < size, "binomial_place: position beyond the end");
  BinomialPlace place;
  // The lowest set bit says how far a position reaches; without it lies the parent.
  std::uint64_t reach = 1;
  while (reach < size && (position & reach) == 0) reach *= 2;
  if (position > 0) place.parent = position - static_cast<Rank>(reach);
  place.span = static_cast<Rank>(std::min<std::uint64_t>(reach, size - position));
  for (Rank bit = static_cast<Rank>(reach / 2); bit > 0; bit /= 2) {
    if (bit >= size - position) continue;
    const Rank child = position + bit;
    place.children.push_back({child, std::min(bit, size - child)});
  }
  return place;
}

}  // namespace espalier::collective
