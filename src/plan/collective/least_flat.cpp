#include "collective/least_flat.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "collective/flat_estimate.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using cost::Picos;

LeastFlat::LeastFlat(const Hierarchy& hierarchy, const schedule::Collective& of, RankOrder order)
    : costs(hierarchy.shape().least),
      call(of),
      bytes(static_cast<double>(of.count) * static_cast<double>(of.element.value)),
      size(static_cast<double>(of.size)),
      rounds(costs, of.size, order == RankOrder::AlongTree || hierarchy.shape().in_order),
      is_along(order == RankOrder::AlongTree || hierarchy.shape().in_order),
      outermost(hierarchy.shape().smallest_outermost),
      is_aligned(hierarchy.shape().is_aligned),
      is_regular(hierarchy.shape().is_regular),
      machine(order == RankOrder::Rising ? &hierarchy.machine() : nullptr) {
  // Broadcasts count from their root. Ways that begin at the end of a cluster cross its border at
  // once.
  if (machine != nullptr && of.operation != schedule::Operation::Broadcast) {
    rounds.follow(*machine, {0, outermost - 1, of.size / 2, of.size - 1});
  }
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
Picos way_over(const LeastFlat& at, Rank radix, Rank position, double bytes, Direction way) {
  const Rank size = at.call.size;
  const Rank root = schedule::has_root(at.call.operation) ? at.call.root : 0;
  const auto rank_at = [&](Rank p) { return static_cast<Rank>((std::uint64_t{root} + p) % size); };
  Rank weight = 1;
  while (position / weight >= radix) weight *= radix;
  Picos sum = 0;
  for (Rank from = 0; weight > 0; weight /= radix) {
    const Rank to = position / weight * weight;
    if (to == from) continue;
    const topology::Path path = way.downwards ? at.machine->path(rank_at(from), rank_at(to))
                                              : at.machine->path(rank_at(to), rank_at(from));
    sum += at.costs.send(bytes) + static_cast<Picos>(path.latency.picoseconds) +
           bytes * cost::per_byte_of(path.bandwidth) + at.costs.recv(bytes) +
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
    longest = std::max(longest, way_over(at, radix, position % size, bytes, way));
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

Picos least_pairwise(const LeastFlat& at, bool combines) {
  const Rank size = at.call.size;
  const bool by_bits = std::has_single_bit(size) && !combines;
  const bool knows = by_bits ? at.is_aligned : at.is_along;
  const Picos combined = combines ? at.costs.combine(at.bytes) : 0;
  if (!knows || size <= kPairwiseAllUpTo) {
    return (at.size - 1) * (at.rounds.message(1, at.bytes) + combined) * kRounded;
  }
  const Rank stride = pairwise_stride(size);
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

Picos least_doubling_scan(LeastFlat& at) {
  const Scanned scanned = scanned_of(at);
  const Picos last = way_to(at, 2, scanned.size - 1, at.bytes, {false, true});
  return std::max((scanned.before + last) * kRounded, least_binomial_scan(at));
}

}  // namespace espalier::collective
