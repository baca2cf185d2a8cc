#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "schedule/program.hpp"
#include "sim/network.hpp"

namespace espalier::sim {

struct LevelUse {
  std::uint64_t messages = 0;
  Bytes bytes;  ///< headers included
  friend bool operator==(const LevelUse&, const LevelUse&) = default;
};

struct ResourceUse {
  Resource resource;
  std::uint64_t messages = 0;
  Bytes bytes;
  Time busy;  ///< exact sharing: time with at least one message; one bottleneck: bytes / capacity
  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

/// A message's life. Times that never came are kForever.
struct MessageTrace {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t send_op = 0;  ///< index into the sender's program
  std::uint32_t recv_op = 0;  ///< index into the receiver's program
  Bytes bytes;                ///< header included
  std::uint32_t level = 0;
  Time send_begin = kForever;  ///< the sender's processor turns to the message
  Time send_end = kForever;    ///< the sender's processor is done with the message
  Time flows = kForever;  ///< bytes begin to move: handshake, latency and earlier messages are over
  Time arrived = kForever;     ///< the last byte is there
  Time recv_begin = kForever;  ///< the receiver's processor turns to the message
  Time recv_end = kForever;
  ResourceId slowed_by =
      kNoResource;  ///< resource that limited it; kNoResource: its own cap, or nothing
  friend bool operator==(const MessageTrace&, const MessageTrace&) = default;
};

/// A Reduce, Copy or Compute. Times that never came are kForever.
struct StepTrace {
  Rank rank = 0;
  std::uint32_t op = 0;  ///< index into its program
  schedule::OpKind kind = schedule::OpKind::Copy;
  Time begin = kForever;
  Time end = kForever;
  friend bool operator==(const StepTrace&, const StepTrace&) = default;
};

/// One stretch of the time line of what decided the finish. The next one begins where it ends.
struct CriticalStep {
  enum class Kind : std::uint8_t {
    Late,      ///< `rank` has not entered the call yet
    Send,      ///< the processor of `rank` sends
    Transfer,  ///< the message from `rank` to `peer` is on its way: handshake, latency, bytes
    Recv,      ///< the processor of `rank` receives
    Reduce,
    Copy,
    Compute,
  };
  Kind kind = Kind::Late;
  Rank rank = 0;
  Rank peer = kNoRank;
  std::uint32_t op = 0;  ///< index into the program of `rank`; Transfer: its Send
  Time begin;
  Time end;
  Time flows;                          ///< Transfer: when its bytes began to move
  ResourceId slowed_by = kNoResource;  ///< Transfer: resource that limited it
  friend bool operator==(const CriticalStep&, const CriticalStep&) = default;
};

struct SimResult {
  Time finish;                    ///< finish of the last rank; kForever if one never ends
  std::vector<Time> rank_finish;  ///< [rank] kForever: it waits for something that never comes
  std::vector<LevelUse>
      levels;  ///< [Path::level]; the last entry counts messages of ranks to themselves
  std::vector<ResourceUse> resources;  ///< [ResourceId] as Network numbers them
  std::uint64_t messages = 0;          ///< number of messages carried
  std::uint64_t unmatched = 0;         ///< Sends without Recv and Recvs without Send
  /// The resource whose work (bytes / capacity) takes longest; kNoResource if nothing limited was
  /// used.
  ResourceId bottleneck = kNoResource;

  // Only with SimOptions::trace:
  std::vector<MessageTrace> timeline;       ///< ordered by sender, then as in its program
  std::vector<StepTrace> steps;             ///< ordered by rank, then as in its program
  std::vector<CriticalStep> critical_path;  ///< covers [0, finish] without a gap
  friend bool operator==(const SimResult&, const SimResult&) = default;
};

}  // namespace espalier::sim
