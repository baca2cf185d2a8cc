#pragma once

#include <cstdint>
#include <vector>

#include "report/simulated_plan.hpp"

namespace espalier::report {

/// Something that goes on at a rank.
struct Activity {
  enum class Kind : std::uint8_t {
    Late,      ///< it has not entered the call
    UnderWay,  ///< a message to it waits its turn, its handshake or its latency
    Arrives,   ///< a message's bytes come in
    Send,      ///< its processor sends
    Recv,
    Reduce,
    Copy,
  };
  Kind kind = Kind::Late;
  Time begin;
  Time end;
  std::uint32_t level = 0;  ///< of the message
  Rank peer = kNoRank;
};

struct Lane {
  Rank rank = 0;
  bool critical = false;
  Time finish;  ///< kForever: it never ends
  std::vector<Activity> activities;
};

struct Lanes {
  std::vector<Lane> lanes;
  std::size_t hidden = 0;  ///< ranks without a lane
  Time horizon;            ///< the last moment at which anything happens
};

/// A lane for every rank, in order; of more than `most` ranks only for `most` of them: first those
/// on the critical path, in its order, then in turn from each innermost cluster those that have
/// most to do with the slowest channels.
[[nodiscard]] Lanes lanes_of(const SimulatedPlan& plan, const topology::Machine& machine,
                             std::size_t most);

}  // namespace espalier::report
