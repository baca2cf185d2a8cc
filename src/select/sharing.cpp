#include "select/sharing.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

namespace espalier::select {
namespace {

std::vector<std::size_t> sorted_by(std::size_t count,
                                   const std::function<Picos(std::size_t)>& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

void share_equally(std::span<Sharer> sharers, Picos per_byte) {
  const auto order = sorted_by(sharers.size(), [&](std::size_t i) { return sharers[i].start; });
  using Ending = std::pair<Picos, std::size_t>;  // virtual time, sharer
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> flowing;
  Picos now = 0, virtual_now = 0;
  std::size_t next = 0;
  while (next < order.size() || !flowing.empty()) {
    if (flowing.empty()) now = std::max(now, sharers[order[next]].start);
    while (next < order.size() && sharers[order[next]].start <= now) {
      flowing.push({virtual_now + sharers[order[next]].bytes * per_byte, order[next]});
      ++next;
    }
    const auto flows = static_cast<double>(flowing.size());
    const Picos end = now + (flowing.top().first - virtual_now) * flows;
    if (next < order.size() && sharers[order[next]].start < end) {
      virtual_now += (sharers[order[next]].start - now) / flows;
      now = sharers[order[next]].start;
      continue;
    }
    virtual_now = flowing.top().first;
    now = end;
    while (!flowing.empty() && flowing.top().first <= virtual_now) {
      sharers[flowing.top().second].end = now;
      flowing.pop();
    }
  }
}

}  // namespace espalier::select
