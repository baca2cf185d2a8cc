#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "cost/flows.hpp"

namespace espalier::cost {
namespace {

bool are_equally_long(std::span<const Sharer> sharers) {
  return std::all_of(sharers.begin(), sharers.end(),
                     [&](const Sharer& one) { return one.bytes == sharers[0].bytes; });
}

bool starts_earlier(const Sharer& a, const Sharer& b) { return a.start < b.start; }

/// Equal flows end in the order in which they began: no heap is needed.
void share_in_order(std::span<Sharer> sharers, Picos per_byte) {
  const Picos work = sharers.empty() ? 0 : sharers[0].bytes * per_byte;
  std::size_t first = 0, next = 0;  // [first, next) flow
  Picos now = 0, virtual_now = 0;
  while (first < sharers.size()) {
    if (first == next) now = std::max(now, sharers[next].start);
    while (next < sharers.size() && sharers[next].start <= now) {
      sharers[next++].end = virtual_now + work;  // virtual time; turned into real time below
    }
    const auto flows = static_cast<double>(next - first);
    const Picos end = now + (sharers[first].end - virtual_now) * flows;
    if (next < sharers.size() && sharers[next].start < end) {
      virtual_now += (sharers[next].start - now) / flows;
      now = sharers[next].start;
      continue;
    }
    virtual_now = sharers[first].end;
    now = end;
    while (first < next && sharers[first].end <= virtual_now) sharers[first++].end = now;
  }
}

}  // namespace

void share_equally(std::span<Sharer> sharers, Picos per_byte) {
  const bool is_sorted = std::is_sorted(sharers.begin(), sharers.end(), starts_earlier);
  const bool are_equal = are_equally_long(sharers);
  if (are_equal && is_sorted) return share_in_order(sharers, per_byte);
  std::vector<std::size_t> order(sharers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return starts_earlier(sharers[a], sharers[b]);
  });
  if (are_equal) {
    std::vector<Sharer> sorted(sharers.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = sharers[order[i]];
    share_in_order(sorted, per_byte);
    for (std::size_t i = 0; i < order.size(); ++i) sharers[order[i]].end = sorted[i].end;
    return;
  }
  using Ending = std::pair<Picos, std::size_t>;  // virtual time, sharer
  std::vector<Ending> flowing;                   // a heap, the first to end on top
  Picos now = 0, virtual_now = 0;
  std::size_t next = 0;
  while (next < order.size() || !flowing.empty()) {
    if (flowing.empty()) now = std::max(now, sharers[order[next]].start);
    while (next < order.size() && sharers[order[next]].start <= now) {
      flowing.push_back({virtual_now + sharers[order[next]].bytes * per_byte, order[next]});
      std::push_heap(flowing.begin(), flowing.end(), std::greater<>());
      ++next;
    }
    const auto flows = static_cast<double>(flowing.size());
    const Picos end = now + (flowing.front().first - virtual_now) * flows;
    if (next < order.size() && sharers[order[next]].start < end) {
      virtual_now += (sharers[order[next]].start - now) / flows;
      now = sharers[order[next]].start;
      continue;
    }
    virtual_now = flowing.front().first;
    now = end;
    while (!flowing.empty() && flowing.front().first <= virtual_now) {
      sharers[flowing.front().second].end = now;
      std::pop_heap(flowing.begin(), flowing.end(), std::greater<>());
      flowing.pop_back();
    }
  }
}

}  // namespace espalier::cost
