#include "collective/least_flat.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "collective/flat_estimate.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using cost::Picos;

LeastFlat::LeastFlat(const Hierarchy& hierarchy, const schedule::Collective& of, RankOrder order,
                     bool shares_links)
    : costs(hierarchy.shape().least),
      call(of),
      bytes(static_cast<double>(of.count) * static_cast<double>(of.element.value)),
      size(static_cast<double>(of.size)),
      rounds(costs, of.size, order == RankOrder::AlongTree || hierarchy.shape().in_order),
      is_along(order == RankOrder::AlongTree || hierarchy.shape().in_order),
      outermost(hierarchy.shape().smallest_outermost),
      is_aligned(hierarchy.shape().is_aligned),
      is_regular(hierarchy.shape().is_regular),
      machine(order == RankOrder::Rising ? &hierarchy.machine() : nullptr),
      largest(hierarchy.shape().largest_outermost),
      shares(shares_links) {
  // Broadcasts count from their root.
  if (machine == nullptr || of.operation == schedule::Operation::Broadcast) return;
  // Ways that begin at the end of a cluster cross its border at once.
  std::vector<Rank> starts{0, of.size / 2, of.size - 1};
  constexpr std::size_t kMost = 11;
  for (const topology::Member& member : machine->members(machine->clusters().front())) {
    if (member.is_leaf || starts.size() == kMost) break;
    const topology::Cluster& cluster = machine->clusters()[member.id];
    const topology::Leaf end = cluster.first_leaf + cluster.leaf_count;
    starts.push_back(machine->rank_at(end - 1));
    if (end < of.size) starts.push_back(machine->rank_at(end));
  }
  rounds.follow(*machine, starts, shares, hierarchy.shape().dealt_to);
}

LeastFlat with_bytes(LeastFlat at, double bytes) {
  at.bytes = bytes;
  return at;
}

namespace {

/// Which way messages go along a tree, and what is done with them.
struct Direction {
  bool downwards = true;
  bool combines = false;
};

Picos combined(const LeastFlat& at, double bytes, Direction way) {
  return way.combines ? at.costs.combine(bytes) : 0;
}

/// The way from the first position of a tree of a radix to another one: one message for each digit
/// that is not zero. The message to the digit's child comes after those to the children before.
Picos way_to(const LeastFlat& at, Rank radix, Rank position, double bytes, Direction way) {
  Picos sum = 0;
  Rank weight = 1;
  for (Rank rest = position; rest != 0; rest /= radix) {
    const Rank digit = rest % radix;
    if (digit != 0) {
      sum += at.rounds.message(digit * weight, bytes) + combined(at, bytes, way);
      if (way.downwards) sum += (digit - 1) * at.costs.send(bytes);
    }
    if (rest >= radix) weight *= radix;
  }
  return sum;
}

/// The same over the very ranks on the way, without the messages to other children.
/// @param bytes_of of the message to a position whose sub-tree has at most so many ranks
template <typename BytesOf>
Picos way_over(const LeastFlat& at, Rank radix, Rank position, Direction way, BytesOf bytes_of) {
  const Rank size = at.call.size;
  const Rank root = schedule::has_root(at.call.operation) ? at.call.root : 0;
  const auto rank_at = [&](Rank p) { return static_cast<Rank>((std::uint64_t{root} + p) % size); };
  Rank weight = 1;
  while (position / weight >= radix) weight *= radix;
  Picos sum = 0;
  for (Rank from = 0; weight > 0; weight /= radix) {
    const Rank to = position / weight * weight;
    if (to == from) continue;
    const double bytes = bytes_of(to, weight);
    sum += cost::hop(*at.machine, at.costs, rank_at(way.downwards ? from : to),
                     rank_at(way.downwards ? to : from), bytes, 1) +
           combined(at, bytes, way);
    from = to;
  }
  return sum;
}

/// The last position, and the last one of a full tree; and some at the ends of clusters.
Picos longest_way(const LeastFlat& at, Rank radix, double bytes, Direction way) {
  const Rank size = at.call.size;
  Rank full = 1;
  while (full <= size / radix) full *= radix;
  Picos longest =
      std::max(way_to(at, radix, size - 1, bytes, way), way_to(at, radix, full - 1, bytes, way));
  if (at.machine == nullptr) return longest;
  for (const Rank position : {size - 1, full - 1, at.outermost - 1, size - at.outermost}) {
    longest = std::max(
        longest, way_over(at, radix, position % size, way, [&](Rank, Rank) { return bytes; }));
  }
  return longest;
}

/// To the one and only child, again and again; the edge that is missing to a whole turn may be the
/// longest of all.
Picos chain_of_all(const LeastFlat& at, double bytes, Direction way) {
  cost::LeastRounds turn = at.rounds.fresh();
  turn.ring(at.size, bytes, way.combines);
  const Picos edge = at.costs.longest() + at.costs.send(bytes) + at.costs.flow(1, bytes) +
                     at.costs.recv(bytes) + combined(at, bytes, way);
  return std::max(0.0, turn.finish() - edge);
}

/// On regular machines all messages across the outermost channel have the same rate. So the last of
/// them comes when the link of the root's member has carried all; those to the root come together.
Picos flat_across(const LeastFlat& at, double bytes, Direction way) {
  const double others = at.size - at.outermost;
  if (!at.is_regular || others == 0) return 0;
  const Picos latency = at.costs.outermost();
  if (!way.downwards) {
    return at.costs.send(bytes) + latency + at.costs.downlink_on(0, others * bytes) +
           others * (at.costs.recv(bytes) + combined(at, bytes, way));
  }
  const double before = at.call.root == 0 ? at.outermost : 1;
  return before * at.costs.send(bytes) + latency + at.costs.uplink_on(0, others * bytes) +
         at.costs.recv(bytes);
}

Picos flat_of_all(const LeastFlat& at, double bytes, Direction way) {
  const Rank size = at.call.size;
  if (!way.downwards) {
    const Picos last = combined(at, bytes, way);
    const Picos each = at.costs.recv(bytes) + last;
    return std::max({(at.size - 2) * each + at.rounds.message(1, bytes) + last,
                     at.rounds.message(size / 2, bytes) + last, flat_across(at, bytes, way)});
  }
  Picos most = flat_across(at, bytes, way);
  for (const Rank child : {size / 2, size - size / 4, size - 1}) {
    if (child == 0 || child >= size) continue;
    most = std::max(most, (child - 1) * at.costs.send(bytes) + at.rounds.message(child, bytes));
  }
  return most;
}

Picos least_along(const LeastFlat& at, Shape shape, double segment, Direction way) {
  const double bytes = segment > 0 && segment < at.bytes ? segment : at.bytes;
  switch (shape) {
    case Shape::Flat:
      return flat_of_all(at, bytes, way);
    case Shape::Chain:
      return chain_of_all(at, bytes, way);
    case Shape::Binary:
      return at.rounds.message(1, bytes);
    default:
      return longest_way(at, radix_of(shape), bytes, way);
  }
}

constexpr Picos kRounded = 1 - 1e-9;  // sums of the estimate may be rounded down

}  // namespace

Picos least_down(const LeastFlat& at, Shape shape, double segment) {
  return least_along(at, shape, segment, {true, false}) * kRounded;
}

Picos least_up(const LeastFlat& at, Shape shape, double segment, bool combines) {
  return least_along(at, shape, segment, {false, combines}) * kRounded;
}

Picos least_bundles(const LeastFlat& at, double block, bool downwards) {
  const Rank size = at.call.size;
  const Direction way{downwards, false};
  const auto bundle = [&](Rank position, Rank weight) {
    return block * std::min(weight, size - position);
  };
  Picos most = 0;
  if (std::has_single_bit(size)) {
    for (Rank half = size / 2; half > 0; half /= 2) most += at.rounds.message(half, block * half);
  }
  // All blocks of others pass the link of the root's member of the whole machine.
  const double others = block * (at.size - at.largest);
  if (others > 0) {
    const Picos carried =
        downwards ? at.costs.uplink_on(0, others) : at.costs.downlink_on(0, others);
    most = std::max(most, at.costs.outermost() + carried);
  }
  if (at.machine == nullptr) return most * kRounded;
  const Rank full = std::bit_floor(size);
  for (const Rank position : {size - 1, full - 1}) {
    most = std::max(most, way_over(at, 2, position, way, bundle));
  }
  return most * kRounded;
}

Picos least_pairwise(const LeastFlat& at, bool combines) {
  const Rank size = at.call.size;
  const bool by_bits = std::has_single_bit(size) && !combines;
  const bool knows = by_bits ? at.is_aligned : at.is_along;
  const Picos combined = combines ? at.costs.combine(at.bytes) : 0;
  if (!knows || size <= kPairwiseAllUpTo) {
    return (at.size - 1) * (at.rounds.message(1, at.bytes) + combined) * kRounded;
  }
  const Rank stride = pairwise_stride(size);
  if (at.shares) {
    cost::LeastRounds ways = at.rounds;
    for (Rank step = 1; step < size; step += stride) {
      ways.go_on(step, at.bytes, combines, std::min(stride, size - step));
    }
    return ways.longest_way();
  }
  Picos sum = 0;
  for (Rank step = 1; step < size; step += stride) {
    const Rank distance = by_bits ? std::bit_floor(step) : std::min(step, size - step);
    sum += std::min(stride, size - step) * (at.costs.message(distance, at.bytes) + combined);
  }
  return sum * (1 - 1e-6);
}

Picos least_all_combine(const LeastFlat& at, double bytes) {
  if (at.call.size <= kCombinedByFlowsUpTo) return 0;
  cost::LeastRounds rounds = at.rounds.fresh();
  rounds.all_to_all(bytes, true);
  return rounds.finish();
}

namespace {

/// Of an exscan all ranks first hand their part to the next one, then all but the first scan.
struct Scanned {
  Rank size;
  Picos before;
};

Scanned scanned_of(const LeastFlat& at) {
  if (at.call.operation == schedule::Operation::Scan) return {at.call.size, 0};
  return {at.call.size - 1, at.rounds.message(1, at.bytes)};
}

}  // namespace

Picos least_binomial_scan(LeastFlat& at) {
  const Scanned scanned = scanned_of(at);
  const Rank full = std::bit_floor(scanned.size);
  return (scanned.before + way_to(at, 2, full - 1, at.bytes, {false, true})) * kRounded;
}

namespace {

/// What the last rank waits for, over the very ranks: message after message, each as far as all
/// before it and one more.
Picos scan_over(const LeastFlat& at, const Scanned& scanned) {
  const Rank first = at.call.size - scanned.size;  // of those that scan
  const Rank last = scanned.size - 1;
  Picos most = 0;
  for (const Rank far : {last, std::bit_floor(scanned.size) - 1}) {
    Picos sum = 0;
    Rank from = last - far;
    for (Rank distance = 1; distance <= far; distance *= 2) {
      if ((far & distance) == 0) continue;
      sum += cost::hop(*at.machine, at.costs, first + from, first + from + distance, at.bytes,
                       at.rounds.senders(distance)) +
             at.costs.combine(at.bytes);
      from += distance;
    }
    most = std::max(most, sum);
  }
  return most;
}

/// In the last round all ranks of the first member of the whole machine send out of it.
Picos scan_across(const LeastFlat& at, const Scanned& scanned) {
  if (!at.is_along || scanned.size < 3) return 0;
  const Rank distance = std::bit_floor(scanned.size - 1);
  if (at.largest > distance || at.largest > scanned.size - distance) return 0;
  const double senders = at.outermost - 1.0;
  return at.costs.send(at.bytes) + at.costs.outermost() +
         at.costs.uplink_on(0, senders * at.bytes) + at.costs.recv(at.bytes) +
         at.costs.combine(at.bytes);
}

}  // namespace

Picos least_doubling_scan(LeastFlat& at) {
  const Scanned scanned = scanned_of(at);
  const Picos last = way_to(at, 2, scanned.size - 1, at.bytes, {false, true});
  Picos most = std::max((scanned.before + last) * kRounded, least_binomial_scan(at));
  most = std::max(most, scan_across(at, scanned) * kRounded);
  if (at.machine == nullptr) return most;
  return std::max(most, (scanned.before + scan_over(at, scanned)) * kRounded);
}

}  // namespace espalier::collective
