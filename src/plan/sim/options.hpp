#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "topology/transport.hpp"

namespace espalier::sim {

/// How messages that cross one resource at a time share it.
enum class Sharing : std::uint8_t {
  ExactMaxMin,    ///< every flow as fast as it can be without slowing a slower one
  OneBottleneck,  ///< each resource serves its messages one after the other; the last one to be
                  ///< done with a message decides. Some ten times faster.
};

/// What docs/simulation.md explains at length.
struct SimOptions {
  Sharing sharing = Sharing::ExactMaxMin;
  /// A message of fewer bytes is eager: its Send ends when the processor has handed it over. Other
  /// Sends are rendezvous: nothing flows before the Recv is posted, and they end on delivery.
  Bytes eager_limit{topology::kTransport.eager_bytes};
  /// Sends of rendezvous messages cost their sender nothing, as under SMPI, which takes the time of
  /// sends only that return before they are delivered.
  bool free_rendezvous = false;
  /// One-way latencies that a rendezvous message spends on its handshake, for each level of the
  /// machine; levels that are not listed: none. Open MPI over TCP 2, UCX over TCP 4.
  std::vector<std::uint32_t> handshake;
  /// Bytes that travel with each message's own, and cost as these do.
  Bytes header{0};
  /// Memory speed of Copy.
  Bandwidth copy = kUnlimited;
  /// When each rank enters the call; empty: all at 0.
  std::vector<Time> skew;
  /// Messages between the same two ranks follow each other, as on a TCP connection. Otherwise they
  /// are flows of their own and share what they cross, as SimGrid has it.
  bool ordered_pairs = true;
  /// Several messages between the same two ranks are synchronous: all of them are rendezvous, and
  /// the next one is sent when the one before has arrived. That keeps them in order too, whatever
  /// `ordered_pairs` says. Not with `trace`.
  bool one_at_a_time = false;
  /// Messages that share a resource get shares in proportion to 1 / latency of their paths, as old
  /// TCP had it and SimGrid's models have it, instead of equal ones. Exact sharing only.
  bool shares_by_latency = false;
  /// Record every message and step, and the critical path: some 100 bytes a message.
  bool trace = false;
};

}  // namespace espalier::sim
