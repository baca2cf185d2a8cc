#include "discover/simulated_prober.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace espalier::discover {
namespace {

/// Something that flows share: (what, where, which), with its capacity.
using Resource = std::tuple<int, std::uint64_t, std::uint64_t>;
using Crossed = std::map<Resource, Bandwidth>;

enum What { kLeafOut, kLeafIn, kClusterOut, kClusterIn, kBackbone, kPairForth, kPairBack };

/// All clusters above a node, innermost first, the whole machine last.
std::vector<topology::ClusterId> above(const topology::Machine& machine, Node node) {
  std::vector<topology::ClusterId> result{machine.cluster_of(machine.leaf_of(node))};
  while (result.back() != 0) result.push_back(machine.clusters()[result.back()].parent);
  return result;
}

void climb(const topology::Machine& machine, Node node, topology::ClusterId meet, bool out,
           Crossed& crossed) {
  const topology::Leaf leaf = machine.leaf_of(node);
  const topology::Uplink& own = machine.leaf_uplink(leaf);
  const auto side = [out](const topology::Uplink& u, int base) {
    return u.half_duplex ? base : base + (out ? 0 : 1);
  };
  crossed[{side(own, kLeafOut), leaf, 0}] = out ? own.out : own.in;
  for (const topology::ClusterId id : above(machine, node)) {
    const topology::Cluster& cluster = machine.clusters()[id];
    crossed[{kBackbone, id, 0}] = cluster.channel.backbone;
    if (id == meet) break;
    crossed[{side(cluster.uplink, kClusterOut), id, 0}] =
        out ? cluster.uplink.out : cluster.uplink.in;
  }
}

topology::ClusterId meeting_place(const topology::Machine& machine, Node a, Node b) {
  const auto first = above(machine, a);
  const auto second = above(machine, b);
  for (const topology::ClusterId id : first) {
    if (std::find(second.begin(), second.end(), id) != second.end()) return id;
  }
  return 0;
}

/// Which member of a cluster above it a node is in.
std::uint32_t index_below(const topology::Machine& machine, Node node, topology::ClusterId top) {
  const topology::Leaf leaf = machine.leaf_of(node);
  std::uint32_t index = machine.index_in_cluster(leaf);
  for (topology::ClusterId id = machine.cluster_of(leaf); id != top;
       id = machine.clusters()[id].parent) {
    index = machine.clusters()[id].index;
  }
  return index;
}

Crossed crossed_by(const topology::Machine& machine, Node from, Node to) {
  Crossed crossed;
  const topology::ClusterId meet = meeting_place(machine, from, to);
  const auto [a, b] = std::pair(index_below(machine, from, meet), index_below(machine, to, meet));
  for (const topology::PairLink& pair : machine.pairs(machine.clusters()[meet])) {
    if (pair.a != std::min(a, b) || pair.b != std::max(a, b)) continue;
    crossed[{a < b ? kPairForth : kPairBack, meet, std::uint64_t{pair.a} << 32U | pair.b}] =
        pair.capacity;
  }
  climb(machine, from, meet, true, crossed);
  climb(machine, to, meet, false, crossed);
  return crossed;
}

}  // namespace

SimulatedProber::SimulatedProber(const topology::Machine& machine, const Disturbance& disturbance,
                                 const Transport& transport)
    : machine_(machine),
      disturbance_(disturbance),
      transport_(transport),
      random_(disturbance.seed) {}

Time SimulatedProber::disturbed(Time time, Node a, Node b) {
  const auto add_up_to = [&](std::int64_t most) {
    return most <= 0 ? Time{0} : Time{random_.between(0, most)};
  };
  Time result = time + add_up_to(time.picoseconds / 100 * disturbance_.noise_percent);
  if (random_.chance(disturbance_.outlier_percent)) result = random_.between(2, 5) * result;
  if (machine_.path(a, b).level == 0 && random_.chance(disturbance_.background_percent)) {
    result += add_up_to(machine_.path(a, b).latency.picoseconds);
  }
  return result;
}

Time SimulatedProber::one_way(Node from, Node to, Bytes bytes, Bandwidth rate) const {
  const Time latency = machine_.path(from, to).latency;
  const std::int64_t crossings =
      bytes > transport_.eager_limit ? 1 + std::int64_t{transport_.crossings} : 1;
  return machine_.costs(from).send.of(bytes) + crossings * latency + transfer_time(bytes, rate) +
         machine_.costs(to).recv.of(bytes);
}

Time SimulatedProber::opening(Node from, Node to, Bytes bytes, Bandwidth rate) {
  if (transport_.first_window == Bytes{0}) return Time{0};
  Bytes& window = windows_.try_emplace({from, to}, transport_.first_window).first->second;
  const Time round_trip = 2 * machine_.path(from, to).latency;
  Time added;
  for (std::uint64_t left = bytes.value; left > window.value;) {
    const Time busy = transfer_time(window, rate);
    if (busy >= round_trip) break;
    added += round_trip - busy;
    left -= window.value;
    window.value *= 2;
  }
  return added;
}

std::vector<Time> SimulatedProber::arrivals(const Experiment& e, Bandwidth rate) {
  const Time each = std::max({machine_.costs(e.from).send.of(e.bytes),
                              machine_.costs(e.to).recv.of(e.bytes), transfer_time(e.bytes, rate)});
  const Time round_trip = 2 * machine_.path(e.from, e.to).latency;
  Bytes& window = windows_.try_emplace({e.from, e.to}, transport_.first_window).first->second;
  std::vector<Time> result{e.delay};
  Time turn_began = e.delay;
  std::uint64_t in_turn = e.bytes.value;
  while (result.size() < e.messages) {
    Time begin = result.back();
    if (transport_.first_window != Bytes{0} && in_turn >= window.value) {
      begin = std::max(begin, turn_began + round_trip);
      turn_began = begin;
      in_turn = 0;
      window.value *= 2;
    }
    in_turn += e.bytes.value;
    result.push_back(begin + disturbed(each, e.from, e.from));
  }
  return result;
}

Measured SimulatedProber::measure(const Experiment& e, Bandwidth rate) {
  Measured result;
  const Time back = one_way(e.to, e.from, Bytes{0}, kUnlimited);
  const Time send = machine_.costs(e.from).send.of(e.bytes);
  Time passed;
  while (goes_on(e, result.samples, passed)) {
    if (e.kind == Kind::Train) {
      result.arrivals = arrivals(e, rate);
      result.samples.push_back(result.arrivals.back() - e.delay +
                               one_way(e.from, e.to, e.bytes, rate) + back);
      passed += e.delay + result.samples.back();
      messages_ += e.messages + 1;
      continue;
    }
    Time time = one_way(e.from, e.to, e.bytes, rate) + back + opening(e.from, e.to, e.bytes, rate);
    if (e.kind == Kind::Stream) {
      const Time each =
          std::max({send, machine_.costs(e.to).recv.of(e.bytes), transfer_time(e.bytes, rate)});
      time += (std::int64_t{e.messages} - 1) * each;
      for (std::uint32_t m = 0; m < e.messages; m += kBusyChunk) {
        result.busy.push_back(disturbed(send, e.from, e.from));
      }
    }
    result.samples.push_back(disturbed(time, e.from, e.to));
    passed += result.samples.back();
    messages_ += e.messages + 1;
  }
  ++experiments_;
  return result;
}

std::vector<Bandwidth> SimulatedProber::shared_rates(const Round& round) const {
  std::map<Resource, std::uint64_t> users;
  std::vector<Crossed> ways;
  for (const Experiment& e : round) {
    ways.push_back(crossed_by(machine_, e.from, e.to));
    for (const auto& [resource, capacity] : ways.back()) ++users[resource];
  }
  std::vector<Bandwidth> rates;
  for (std::size_t i = 0; i < round.size(); ++i) {
    Bandwidth rate = machine_.path(round[i].from, round[i].to).bandwidth;
    for (const auto& [resource, capacity] : ways[i]) {
      if (capacity.unlimited()) continue;
      rate = std::min(rate, Bandwidth{capacity.bits_per_second / users[resource]});
    }
    const bool crowded = machine_.path(round[i].from, round[i].to).level == 0 &&
                         disturbance_.background_percent > 0 && !rate.unlimited();
    rates.push_back(crowded ? Bandwidth{rate.bits_per_second / 2} : rate);
  }
  return rates;
}

Expected<std::vector<std::vector<Measured>>> SimulatedProber::run(std::span<const Round> rounds) {
  std::vector<std::vector<Measured>> results;
  for (const Round& round : rounds) {
    expects(is_sound(round, size()), "SimulatedProber: a node is in two experiments of a round");
    const std::vector<Bandwidth> rates = shared_rates(round);
    Time slowest;
    results.emplace_back();
    for (std::size_t i = 0; i < round.size(); ++i) {
      results.back().push_back(measure(round[i], rates[i]));
      Time all;
      for (const Time sample : results.back().back().samples) all += sample;
      slowest = std::max(slowest, all);
    }
    spent_ += slowest;
  }
  return results;
}

}  // namespace espalier::discover
