#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "bound/bound_kinds.hpp"
#include "bound/needs.hpp"

namespace espalier::bound {
namespace {

/// The least of everything.
struct Least {
  Time send = kForever, latency = kForever, recv = kForever;
};

Least least_of(const topology::Machine& machine) {
  Least least;
  for (Rank i = 0; i < machine.size(); ++i) {
    least.send = std::min(least.send, machine.costs(i).send.fixed);
    least.recv = std::min(least.recv, machine.costs(i).recv.fixed);
    for (Rank j = 0; j < machine.size(); ++j) {
      if (i != j) least.latency = std::min(least.latency, machine.path(i, j).latency);
    }
  }
  return least;
}

Rank count_others(const schedule::Collective& call, Rank one, bool outwards) {
  Rank others = 0;
  for (Rank r = 0; r < call.size; ++r)
    others += outwards ? depends(call, one, r) : depends(call, r, one);
  return others;
}

}  // namespace

Time fan_time(Rank others, Time own, Time send, Time latency, Time recv) {
  if (others == 0) return Time{0};
  // When a sender may begin its next message, and what each costs it.
  struct Sender {
    Time at, cost;
    bool operator>(const Sender& other) const { return at + cost > other.at + other.cost; }
  };
  std::priority_queue<Sender, std::vector<Sender>, std::greater<>> senders;
  senders.push({Time{0}, own});
  Time last{0};
  for (Rank reached = 0; reached < others; ++reached) {
    const Sender next = senders.top();
    senders.pop();
    last = next.at + next.cost + latency + recv;
    if (next.cost == Time{0}) return last;  // and all others at the same moment
    senders.push({next.at + next.cost, next.cost});
    senders.push({last, send});
  }
  return last;
}

LowerBound fan_bound(const topology::Machine& machine, const schedule::Collective& call) {
  LowerBound best;
  if (call.size < 2) return best;
  const Least least = least_of(machine);
  std::set<std::tuple<bool, Rank, Time>> known;  // ranks are mostly alike
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
    if (!known.emplace(outwards, w.reached, w.own).second) return;
    const Time value = outwards ? fan_time(w.reached, w.own, w.send, w.latency, w.recv)
                                : fan_time(w.reached, w.own, w.recv, w.latency, w.send);
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
