#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "map/problem.hpp"
#include "sim/options.hpp"
#include "topology/transport.hpp"

namespace espalier::map {

/// A message of fewer bytes is sent at once; nothing of longer ones flows before their receiver is
/// ready for them (rendezvous). What Open MPI over TCP and SMPI have.
inline constexpr Bytes kEagerLimit{topology::kTransport.eager_bytes};

/// A trace prepared for many replays: collectives become messages and loops are unrolled. If that
/// is more than `most_steps`, loops are cut to a few rounds, whose last one stands for the rest.
///
/// A cut loop is exact as soon as its rounds take equally long, which they do after the first ones
/// where processes wait for each other; each process's own clock is stretched by its own last
/// round. Loops are cut only if every channel still has as many receives as sends.
class ReadyTrace {
 public:
  ReadyTrace(const profile::Profile& profile, std::uint64_t most_steps,
             Bytes eager_limit = kEagerLimit);

  /// Steps that one replay takes.
  [[nodiscard]] std::uint64_t steps() const { return steps_.size(); }
  /// Whether any loop was cut.
  [[nodiscard]] bool is_cut() const { return cut_; }
  /// Too long even when cut: nothing can be replayed.
  [[nodiscard]] bool is_too_long() const { return too_long_; }

 private:
  friend class Replayer;
  friend class TraceCompiler;
  /// Post: a receive is ready for its message. Sent: waits until the send is over. Both exist for
  /// long messages only.
  enum class Kind : std::uint8_t { Compute, Send, Recv, Post, Sent, Snapshot, Stretch };
  struct Step {
    Kind kind = Kind::Compute;
    /// Channel of the message; Snapshot and Stretch: which clock is kept.
    std::uint32_t channel = 0;
    std::uint64_t amount = 0;  ///< Compute: picoseconds; messages: bytes; Stretch: rounds left out
  };
  struct TraceChannel {
    Rank from = 0;
    Rank to = 0;
    std::uint64_t first_message = 0;
    std::uint64_t messages = 0;
  };

  Bytes eager_limit_;
  std::vector<std::uint64_t> first_step_;  ///< index of each process's first step, and the end
  std::vector<Step> steps_;
  std::vector<TraceChannel> channels_;
  std::uint64_t messages_ = 0;
  bool cut_ = false;
  bool too_long_ = false;
};

/// Replays a trace on a machine for one placement after the other.
///
/// Computation takes its time over the node's speed. A message keeps its sender's processor for the
/// node's send cost, then spends the latency of its path and passes every shared capacity on the
/// way, and keeps its receiver for the receive cost once that has come to it. Capacities are shared
/// by the messages that are on their way, in proportion to 1 / latency of their paths
/// (ExactMaxMin, sim::FairShares; as SimGrid and TCP do), or serve one after the other
/// (OneBottleneck, sim::BottleneckClocks: several times faster). A long message sets out when its
/// receiver is ready for it. If all wait for each other, long messages set out that nobody is
/// ready for. A receive whose send never comes is passed over; so are all that processes wait in
/// for each other.
/// O(steps x (log processes + depth)), and for ExactMaxMin what settling the shares takes.
class Replayer {
 public:
  /// @param sharing sharing_for() the problem, for predictions that others can be compared with
  /// @pre problem and trace outlive it
  Replayer(const Problem& problem, const ReadyTrace& trace, sim::Sharing sharing);
  ~Replayer();

  /// Replays the trace; returns when the last process is done.
  [[nodiscard]] Time finish(const Placement& placement);
  /// When each process was done in the last finish().
  [[nodiscard]] const std::vector<Time>& clocks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How replays of this problem share links: exactly, unless that takes too long.
[[nodiscard]] sim::Sharing sharing_for(const Problem& problem);

/// One prediction, with up to two million steps, shared as sharing_for() says.
[[nodiscard]] Time predict(const Problem& problem, const Placement& placement);

}  // namespace espalier::map
