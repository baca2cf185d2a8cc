#pragma once

#include "report/lanes.hpp"
#include "report/text.hpp"

namespace espalier::report {

/// A lane in `count` columns of a terminal, each for an equal part of the time until `horizon`:
/// what the processor does most there; else whether a message to it is under way; else whether it
/// waits.
[[nodiscard]] Spans time_line(const Lane& lane, Time horizon, std::size_t count);

/// The critical path as one more lane: lines for messages, blocks for processors, and where there
/// is room the rank whose turn it is.
[[nodiscard]] Spans path_line(const sim::SimResult& result, const topology::Machine& machine,
                              Time horizon, std::size_t count);

}  // namespace espalier::report
