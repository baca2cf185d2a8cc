#include <algorithm>
#include <map>
#include <vector>

#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"

namespace espalier::bound {
namespace {

/// The least of everything.
struct Least {
  Time send = kForever, latency = kForever, recv = kForever;
};

Least least_of(const topology::Machine& machine, const Distances& distances) {
  Least least;
  const Nearest nearest = distances.nearest(std::vector<Time>(machine.size(), Time{0}));
  for (Rank i = 0; i < machine.size(); ++i) {
    least.send = std::min(least.send, machine.costs(i).send.fixed);
    least.recv = std::min(least.recv, machine.costs(i).recv.fixed);
    const topology::Member leaf{true, machine.leaf_of(i)};
    least.latency = std::min(least.latency, least_across(nearest, nearest, leaf));
  }
  return least;
}

/// How many depend on a rank, or it on them.
/// @pre the one is the root, if only the root gives or gets anything
Rank count_others(const schedule::Collective& call, Rank one, bool outwards) {
  using schedule::Operation;
  const auto is_other = [&](Rank r) {
    return outwards ? depends(call, one, r) : depends(call, r, one);
  };
  const bool scans = call.operation == Operation::Scan || call.operation == Operation::Exscan;
  if (!call.irregular() && !scans) return is_other(one == 0 ? 1 : 0) ? call.size - 1 : 0;
  Rank others = 0;
  for (Rank r = 0; r < call.size; ++r) others += is_other(r) ? 1 : 0;
  return others;
}

}  // namespace

PostalFan::PostalFan(Time own, Time send, Time latency, Time recv)
    : send_(send), latency_(latency), recv_(recv), reached_{Time{0}} {
  senders_.push({Time{0}, own});
}

Time PostalFan::of(Rank others) {
  while (reached_.size() <= others && !senders_.empty()) {
    const Sender next = senders_.top();
    senders_.pop();
    const Time last = next.at + next.cost + latency_ + recv_;
    reached_.push_back(last);
    if (next.cost == Time{0}) {  // all others at the same moment
      senders_ = {};
      break;
    }
    senders_.push({next.at + next.cost, next.cost});
    senders_.push({last, send_});
  }
  return others < reached_.size() ? reached_[others] : reached_.back();
}

LowerBound fan_bound(const topology::Machine& machine, const schedule::Collective& call,
                     const Distances& distances) {
  LowerBound best;
  if (call.size < 2) return best;
  const Least least = least_of(machine, distances);
  std::map<std::pair<bool, Time>, PostalFan> known;  // ranks are mostly alike
  const auto look = [&](Rank one, bool outwards) {
    Witness w;
    w.kind = Witness::Kind::Fan;
    w.direction = outwards ? Witness::Direction::Out : Witness::Direction::In;
    w.rank = one;
    w.reached = count_others(call, one, outwards);
    w.own = outwards ? machine.costs(one).send.fixed : machine.costs(one).recv.fixed;
    w.send = least.send;
    w.latency = least.latency;
    w.recv = least.recv;
    const Time there = outwards ? least.send : least.recv;
    const Time here = outwards ? least.recv : least.send;
    PostalFan& times =
        known.try_emplace({outwards, w.own}, w.own, there, least.latency, here).first->second;
    const Time value = times.of(w.reached);
    if (value > best.value) best = {value, std::move(w)};
  };
  for (Rank r = 0; r < call.size; ++r) {
    if (!flows_to_root(call.operation) && (!flows_from_root(call.operation) || r == call.root)) {
      look(r, true);
    }
    if (!flows_from_root(call.operation) && (!flows_to_root(call.operation) || r == call.root)) {
      look(r, false);
    }
  }
  return best;
}

}  // namespace espalier::bound
