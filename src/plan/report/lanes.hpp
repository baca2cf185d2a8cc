#pragma once

#include <cstdint>
#include <vector>

#include "report/simulated_plan.hpp"
#include "report/text.hpp"

namespace espalier::report {

/// What a rank does, or a message to it does, for some time.
struct Activity {
  enum class Kind : std::uint8_t {
    Late,      ///< the rank has not entered the call
    UnderWay,  ///< a message to the rank waits for its turn, handshake or latency
    Arrives,   ///< bytes of a message to the rank come in
    Send,      ///< the rank's processor sends
    Recv,
    Reduce,
    Copy,
  };
  Kind kind = Kind::Late;
  Time begin;
  Time end;
  std::uint32_t level = 0;  ///< level of the channel that the message crosses
  Rank peer = kNoRank;
};

struct Lane {
  Rank rank = 0;
  bool critical = false;
  Time finish;  ///< when the rank is done; kForever: never
  std::vector<Activity> activities;
};

struct Lanes {
  std::vector<Lane> lanes;
  std::size_t hidden = 0;  ///< number of ranks without a lane
  Time horizon;            ///< last moment at which anything happens
};

/// A lane for every rank, in order; of more than `most` ranks only for `most` of them: first those
/// on the critical path, in its order, then in turn from each innermost cluster those that have
/// most to do with the slowest channels.
[[nodiscard]] Lanes lanes_of(const SimulatedPlan& plan, const topology::Machine& machine,
                             std::size_t most);

/// A lane in `count` columns of a terminal, each for an equal part of the time until `horizon`:
/// what the processor does most there; else whether a message to it is under way; else whether it
/// waits.
[[nodiscard]] Spans time_line(const Lane& lane, Time horizon, std::size_t count);

/// The critical path as one more lane: lines for messages, blocks for processors, and where there
/// is room the rank whose turn it is.
[[nodiscard]] Spans path_line(const sim::SimResult& result, const topology::Machine& machine,
                              Time horizon, std::size_t count);

}  // namespace espalier::report
