#pragma once

#include <vector>

#include "select/candidates.hpp"
#include "sim/options.hpp"
#include "sim/result.hpp"

namespace espalier::select {

/// A candidate and what the simulator says of it.
struct Scored {
  Candidate candidate;
  sim::SimResult result;
};

/// All candidates simulated, the fastest first; ties stay in the order of candidates(). Every rank
/// that does this with the same machine and call comes to the same order.
[[nodiscard]] std::vector<Scored> score(std::vector<Candidate> candidates,
                                        const schedule::Collective& call,
                                        const topology::Machine& machine,
                                        const sim::SimOptions& options);

}  // namespace espalier::select
