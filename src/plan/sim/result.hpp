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
  Time busy;  ///< exact sharing: with at least one message on it; one bottleneck: its work
  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

/// A message's life. Times that never came are kForever.
struct MessageTrace {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t send_op = 0;  ///< index into the sender's program
  std::uint32_t recv_op = 0;  ///< and the receiver's
  Bytes bytes;                ///< header included
  std::uint32_t level = 0;
  Time send_begin = kForever;  ///< the sender's processor turns to it
  Time send_end = kForever;    ///< and is done with it
  Time flows = kForever;       ///< handshake, latency and earlier messages are over, bytes move
  Time arrived = kForever;     ///< all of it
  Time recv_begin = kForever;  ///< the receiver's processor turns to it
  Time recv_end = kForever;
  ResourceId slowed_by = kNoResource;  ///< kNoResource: its flow's own cap, or nothing
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
    Late,      ///< `rank` had not entered the call
    Send,      ///< its processor sends
    Transfer,  ///< the message from `rank` to `peer` is on its way: handshake, latency, bytes
    Recv,      ///< its processor receives
    Reduce,
    Copy,
    Compute,
  };
  Kind kind = Kind::Late;
  Rank rank = 0;
  Rank peer = kNoRank;
  std::uint32_t op = 0;  ///< in the program of `rank`; of a Transfer: the Send
  Time begin;
  Time end;
  Time flows;                          ///< of a Transfer: when its bytes began to move
  ResourceId slowed_by = kNoResource;  ///< of a Transfer
  friend bool operator==(const CriticalStep&, const CriticalStep&) = default;
};

struct SimResult {
  Time finish;                    ///< of the last rank; kForever if one never ends
  std::vector<Time> rank_finish;  ///< kForever: it waits for something that never comes
  std::vector<LevelUse> levels;   ///< of Path::level; the last one: a rank's messages to itself
  std::vector<ResourceUse> resources;  ///< as numbered by Network
  std::uint64_t messages = 0;          ///< carried
  std::uint64_t unmatched = 0;         ///< Sends without Recv and Recvs without Send
  /// Whose work, bytes / capacity, is longest; kNoResource if nothing limited was used.
  ResourceId bottleneck = kNoResource;

  // Only with SimOptions::trace:
  std::vector<MessageTrace> timeline;       ///< by sender, then in program order
  std::vector<StepTrace> steps;             ///< by rank, then in program order
  std::vector<CriticalStep> critical_path;  ///< from 0 to `finish` without a gap
  friend bool operator==(const SimResult&, const SimResult&) = default;
};

}  // namespace espalier::sim
