#pragma once

#include "schedule/program.hpp"

namespace espalier::tuning {

/// The program as an MPI library runs it: a round ends before the next one begins. Each Send waits
/// for the Send before it and for all that was received since. Our own programs wait for the data
/// of a message only, so they save latencies where rounds cross far links.
[[nodiscard]] schedule::Program in_rounds(const schedule::Program& program);

}  // namespace espalier::tuning
