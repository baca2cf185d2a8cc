#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cost/flows.hpp"
#include "cost/round_loads.hpp"

namespace espalier::cost {

/// Times of algorithms that go in rounds. In a round, a rank sends and receives a message or two.
/// Every rank has a clock, which each round advances.
///
///   clock(r) after = max(clock(r) + send, end of the flow to r) + recv + combine
///
/// The flows of a round share what they cross; those of ranks that have run ahead come after what
/// earlier rounds have to carry there. O(messages) a round; a ring's rounds are all alike and told
/// in one step.
class Rounds {
 public:
  explicit Rounds(const CostView& cost_view);

  struct RoundMessage {
    Rank from = 0;
    Rank to = 0;
    double bytes = 0;
  };
  /// All at once: senders go by their clocks, receivers wait for all that comes to them.
  /// @param combines what is received is combined with something of the same size
  /// @param keeps what is sent must not change before it is delivered, if it is not eager
  void exchange(std::span<const RoundMessage> messages, bool combines = false, bool keeps = false);
  /// `rounds` times: everybody sends `bytes` to its successor on the ring and waits for its
  /// predecessor. @pre at least two ranks
  /// @param slots so many blocks may be on their way to a rank before it passes one on; 0: any
  /// @param mean of blocks that differ, `bytes` being the longest; 0: all alike
  void ring(std::span<const Rank> members, double rounds, double bytes, bool combines = false,
            double slots = 0, double mean = 0);
  /// Each member sends to all others at once. O(members + innermost clusters^2) where the machine
  /// has no links of single pairs; else O(members^2).
  void all_to_all(std::span<const Rank> members, double bytes, bool combines = false);
  /// exchange() of very many messages, by what each resource and processor has to carry.
  void exchange_by_loads(const RoundLoads& loads);

  /// The last exchange so many times more, one after the other. Each takes `step`, or as long as
  /// its busiest resource needs.
  void repeat(std::span<const Rank> members, double times, Picos step);

  [[nodiscard]] Picos clock(Rank rank) const { return clocks_[rank]; }
  void set_clock(Rank rank, Picos at) { clocks_[rank] = at; }
  /// A barrier: sets all clocks to the latest one.
  void join();
  [[nodiscard]] Picos finish() const;
  /// How long the busiest resource is busy with the exchanges of these rounds and of others that go
  /// on at the same time. Rings are not counted.
  [[nodiscard]] Picos busiest_beside(std::span<const Rounds> others) const;

 private:
  struct Reach {
    Picos latency = 0;
    Picos capped = 0;
  };
  Reach count_pairs(std::span<const Rank> members, double bytes);
  Reach count_clusters(std::span<const Rank> members, double bytes);
  bool has_several_for_a_rank();

  const CostView& cost_view_;
  FlowSharing sharing_;
  std::vector<double> crossings_;  // messages on each resource: may be more than 2^32
  Routes routes_;                  // of an exchange's messages
  std::vector<Picos> clocks_;
  std::vector<std::uint32_t> received_in_;  // number of the last exchange with a message for a rank
  std::uint32_t exchanges_ = 0;
  std::vector<Picos> free_;     // when each resource has done the work of earlier rounds
  std::vector<Picos> carried_;  // how long each resource is busy with exchanges
  std::vector<Flow> flows_;
  sim::Route route_;
};

}  // namespace espalier::cost
