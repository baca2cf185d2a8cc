#pragma once

#include <algorithm>

#include "collective/folded_times.hpp"

namespace espalier::collective {

/// @param besides of the message to or from the parent
template <typename LoadOf, typename Start>
FoldedTimes::Busy FoldedTimes::busy(const Kind& kind, bool upwards, LoadOf load_of, const Load& own,
                                    cost::Picos besides, Start start) {
  Busy busy;
  const auto carry = [&](sim::ResourceId link, const Load& load, cost::Picos first) {
    const cost::Picos takes = load.count * load.bytes * cost_view_.per_byte(link);
    for (OnLink& one : busy.links) {
      if (one.link != link) continue;
      one.first = std::min(one.first, first);
      one.busy += takes;
      return;
    }
    busy.links.push_back({link, takes, first});
  };
  const auto work = [&](const Load& load, bool sends) {
    const cost::Picos combines = upwards ? cost_view_.combine(kind.rank, load.bytes) : 0;
    busy.processor += load.count * (sends ? cost_view_.send(kind.rank, load.bytes)
                                          : cost_view_.recv(kind.rank, load.bytes) + combines);
  };
  for (std::size_t k = 0; k < kind.children.size(); ++k) {
    const Rank child = kind.children[k];
    const Load load = load_of(kind, k);
    const Rank from = upwards ? child : kind.rank;
    const Rank to = upwards ? kind.rank : child;
    cost_view_.find_route(from, to, route_);
    const cost::Picos first = start(k) + cost_view_.send(from, load.bytes) +
                              cost_view_.latency(route_) + cost_view_.recv(to, load.bytes);
    for (const sim::ResourceId r : route_.resources()) {
      if (is_own(r, kind.rank, child)) carry(r, load, first);
    }
    work(load, !upwards);
  }
  if (!kind.has_parent()) return busy;
  const Rank from = upwards ? kind.rank : kind.beside;
  cost_view_.find_route(from, upwards ? kind.beside : kind.rank, route_);
  for (const sim::ResourceId r : route_.resources()) {
    if (is_own(r, kind.rank, kind.beside) && !is_shared(r)) carry(r, own, besides);
  }
  work(own, upwards);
  return busy;
}

/// What links above the kinds' own carry of the messages between the first root and its children.
/// @param start when the message of a child begins
template <typename LoadOf, typename Start>
cost::Picos FoldedTimes::busiest_shared(bool upwards, LoadOf load_of, Start start) {
  if (tree_.owned_from == 0) return 0;
  const Kind& kind = tree_.kinds[tree_.roots.front().kind];
  cost::Loads loads(cost_view_);
  for (std::size_t k = 0; k < kind.children.size(); ++k) {
    if (kind.levels[k] >= tree_.owned_from) continue;
    const Load load = load_of(kind, k);
    const Rank child = kind.children[k];
    loads.add(upwards ? child : kind.rank, upwards ? kind.rank : child, load.bytes, load.count,
              upwards, start(kind.kinds[k]));
  }
  return loads.busiest_resource();
}

}  // namespace espalier::collective
