#include "tree/nearest_free.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::tree {

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

}  // namespace espalier::tree
