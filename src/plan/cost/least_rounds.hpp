#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cost/least_costs.hpp"

namespace espalier::cost {

/// A message from rank to rank: sending, latency, bytes, receiving.
/// @param senders so many ranks side by side send as far at the same time, as long as they are in
///                the same cluster: they share its uplink. 1: nobody else does
[[nodiscard]] Picos hop(const topology::Machine& machine, const LeastCosts& costs, Rank from,
                        Rank to, double bytes, double senders);

/// A lower bound of what Rounds works out for an algorithm, without a walk over its ranks.
///
/// In each round everybody waits for a message of somebody. So the earliest clock moves on by the
/// least message of the round, and so does the latest: whoever is late makes the next one late.
/// Some rank is later by what the busiest link has to carry, in any one of the rounds:
///
///   finish >= sum of the least messages + the longest of (load - its flow by itself)
///
/// And no message gets through a link before what earlier rounds left it to carry.
///
/// Times are of one kind of rank order: positions lie along the machine (then partners that are
/// far apart by position are far apart in it), or anywhere (then nothing is known of them).
///
/// Besides, a few ways are followed from rank to rank, each message after the one before it: no
/// rank at the end of such a way is done earlier. They see what is slow on this very machine. If
/// their messages share links with those of other ranks, the result is no bound any more but about
/// the estimate.
class LeastRounds {
 public:
  /// @param along positions lie in the order of the machine's leaves
  LeastRounds(const LeastCosts& costs, Rank size, bool along)
      : costs_(costs), size_(size), along_(along) {}

  /// Follows ways from these positions on. @pre no rounds yet; positions are ranks of the machine
  /// @param shares messages share links with those of other ranks
  /// @param dealt_to ranks are dealt out to so many innermost clusters in turn; 0: they are not
  void follow(const topology::Machine& machine, std::span<const Rank> starts, bool shares,
              Rank dealt_to) {
    machine_ = &machine;
    shares_ = shares;
    dealt_to_ = dealt_to;
    for (const Rank start : starts) ways_.push_back({start % size_, 0});
  }

  /// All positions send to one that is `distance` away, and receive from one that is.
  /// @param shares all positions send as many bytes at the same time
  void round(Rank distance, double bytes, bool combines, bool shares = true) {
    const Rank apart = along_ ? std::max<Rank>(distance, 1) : 1;
    sum_ += costs_.message(apart, bytes) + (combines ? costs_.combine(bytes) : 0);
    if (!along_ || !shares) return;
    carry(apart, bytes);
    if (!together_) return;
    extra_ = std::max(extra_, costs_.load(apart, bytes) - costs_.flow(apart, bytes));
  }
  /// Positions 2^k apart, the number of positions folded to a power of two: of the first ones one
  /// of each pair stands for both.
  /// @param bytes of a message between partners whose numbers differ in bit `mask`
  /// @param rising whether the nearest partner comes first
  /// @param folds bytes from one of each pair to the other before; 0: nothing is known of them
  /// @param unfolds the same afterwards
  /// @param keep position that stands for its pair; in other pairs the first does
  template <typename BytesOf>
  void butterfly(bool combines, BytesOf bytes, bool rising = true, double folds = 0,
                 double unfolds = 0, Rank keep = 0) {
    const Rank actives = std::bit_floor(size_);
    const Rank extra = size_ - actives;
    const auto position = [&](Rank active) {
      if (active >= extra) return active + extra;
      return keep == 2 * active + 1 ? keep : 2 * active;
    };
    for (Way& way : ways_) {
      Rank active = way.at < 2 * extra ? way.at / 2 : way.at - extra;
      // Of each pair one comes first to the other, and hears of it at last.
      if (folds > 0 && way.at != position(active)) {
        go(way, position(active), folds, 1, combines);
      }
      way.at = position(active);
      for (Rank k = 1; k < actives; k *= 2) {
        const Rank mask = rising ? k : actives / (2 * k);
        active ^= mask;
        go(way, position(active), bytes(mask), mask, combines);
      }
      if (unfolds > 0 && active < extra) go(way, way.at ^ 1U, unfolds, 1, false);
    }
    for (Rank mask = 1; mask < actives; mask *= 2) {
      round(mask, bytes(mask), combines, actives == size_);
    }
  }
  /// Each position to the one 2^k further, around.
  template <typename BytesOf>
  void dissemination(BytesOf bytes) {
    for (Way& way : ways_) {
      for (Rank distance = 1; distance < size_; distance *= 2) {
        const auto next = (std::uint64_t{way.at} + distance) % size_;
        go(way, static_cast<Rank>(next), bytes(distance), distance, false);
      }
    }
    for (Rank distance = 1; distance < size_; distance *= 2) {
      round(std::min(distance, size_ - distance), bytes(distance), false);
    }
  }
  /// So many rounds in which each position sends to the next: no stretch of edges is longer than
  /// the longest, which is not shorter than the mean.
  /// @param around_all blocks go around all ranks of the machine, one after the other
  void ring(double rounds, double bytes, bool combines, bool around_all = false) {
    const auto size = static_cast<Picos>(size_);
    const Picos combined = combines ? costs_.combine(bytes) : 0;
    if (shares_ && dealt_to_ != 0) {  // from each innermost cluster to the next, all its ranks
      Picos turn = dealt_to_ * combined;
      for (Rank at = 0; at < dealt_to_; ++at) {
        turn += hop(*machine_, costs_, at, (at + 1) % size_, bytes, senders(1));
      }
      return add(rounds / dealt_to_ * turn);
    }
    const Picos each = costs_.send(bytes) + costs_.flow(1, bytes) + costs_.recv(bytes) + combined;
    const Picos turn =
        along_ ? costs_.turn() + size * each : size * (costs_.message(1, bytes) + combined);
    // Or all blocks cross the slowest edge, one after the other.
    const Picos pace = around_all ? bytes * costs_.slowest_uplink() : 0;
    add(std::max(rounds / size * turn, (rounds - 1) * pace));
  }
  /// Everybody sends to all others at once.
  void all_to_all(double bytes, bool combines) {
    const Picos one =
        costs_.send(bytes) + costs_.recv(bytes) + (combines ? costs_.combine(bytes) : 0);
    add(std::max((static_cast<Picos>(size_) - 1) * one,
                 costs_.outermost() + costs_.load_of_all(bytes) + one));
  }
  /// All positions wait for so long.
  void add(Picos more) {
    sum_ += more;
    for (Way& way : ways_) way.takes += more;
  }
  /// Ways go on to positions that are `distance` further, so many times.
  void go_on(Rank distance, double bytes, bool combines, double times) {
    for (Way& way : ways_) {
      const auto next = (std::uint64_t{way.at} + distance) % size_;
      go(way, static_cast<Rank>(next), bytes, distance, combines, times);
    }
  }
  /// Where each rank sends to one that is `distance` further: so many leave a cluster at the same
  /// time, if it has as many. Ranks that are dealt out move by clusters, all of a cluster at once.
  [[nodiscard]] double senders(Rank distance) const {
    if (!shares_) return 1;
    if (dealt_to_ == 0) return distance;
    const Rank clusters = distance % dealt_to_;
    const double ranks = static_cast<double>(size_) / dealt_to_;
    return std::max(1.0, ranks * std::min(clusters, dealt_to_ - clusters));
  }
  /// The longest of the ways so far.
  [[nodiscard]] Picos longest_way() const {
    Picos most = 0;
    for (const Way& way : ways_) most = std::max(most, way.takes);
    return most;
  }
  /// A message between positions that are so far apart, without others.
  [[nodiscard]] Picos message(Rank distance, double bytes) const {
    return costs_.message(along_ ? std::max<Rank>(1, std::min(distance, size_ - distance)) : 1,
                          bytes);
  }

  /// Without the rounds so far.
  [[nodiscard]] LeastRounds fresh() const { return {costs_, size_, along_}; }
  /// From here on ranks may begin rounds at different times: what links have to carry does not
  /// come on top of the latest clock.
  void begin_apart() { together_ = false; }

  /// A part in a million less, for what sums of many small numbers lose.
  [[nodiscard]] Picos finish() const {
    Picos most = std::max(sum_ + std::max(0.0, extra_), before_last_);
    for (const Way& way : ways_) most = std::max(most, way.takes);
    return most * (1 - 1e-6);
  }

 private:
  struct Way {
    Rank at = 0;
    Picos takes = 0;
  };
  /// @param distance all ranks send as far, so many times
  void go(Way& way, Rank to, double bytes, Rank distance, bool combines, double times = 1) const {
    way.takes += times * hop(*machine_, costs_, way.at, to, bytes, senders(distance)) +
                 times * (combines ? costs_.combine(bytes) : 0);
    way.at = to;
  }

  /// The links of a level had so much to carry before the last round that crosses them.
  void carry(Rank apart, double bytes) {
    const std::vector<Picos> before = carried_;
    costs_.add_loads(apart, bytes, carried_);
    for (std::size_t l = 0; l < before.size(); ++l) {
      if (carried_[l] > before[l]) before_last_ = std::max(before_last_, before[l]);
    }
  }

  const LeastCosts& costs_;
  Rank size_;
  bool along_;
  bool together_ = true;
  Picos sum_ = 0;
  Picos extra_ = 0;
  std::vector<Picos> carried_;  // by level
  Picos before_last_ = 0;
  const topology::Machine* machine_ = nullptr;
  bool shares_ = false;
  Rank dealt_to_ = 0;
  std::vector<Way> ways_;
};

}  // namespace espalier::cost
