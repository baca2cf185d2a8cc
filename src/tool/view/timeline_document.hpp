#pragma once

#include <string>

#include "sim/result.hpp"
#include "topology/machine.hpp"
#include "trace/trace.hpp"

namespace espalier::view {

/// One timeline of a call as JSON text: messages and steps as columns, the critical path,
/// resources.
///
/// Times are whole ticks. A tick is a picosecond, or about a millionth of the finish if that is
/// more: a page draws no finer, and a file is a third as long. Times that never come are null.
/// A document of a call holds a list of timelines, each with its kind ("simulated"), all from the
/// entry of the first rank on: so others can stand beside them on the same axis.
/// @pre the simulation was traced
[[nodiscard]] std::string timeline_document(const sim::SimResult& result,
                                            const topology::Machine& machine);

/// The same of a call that ran, kind "measured", from the entry of its first rank on. A message is
/// under way from the begin of its send to the end of its receive; what processors do meanwhile was
/// not seen, and there is no critical path.
[[nodiscard]] std::string measured_document(const trace::Call& call,
                                            const topology::Machine& machine);

}  // namespace espalier::view
