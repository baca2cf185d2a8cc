#pragma once

#include <vector>

#include "schedule/schedule.hpp"
#include "simgrid_check/platform.hpp"
#include "topology/machine.hpp"

namespace espalier::simgrid_check {

struct ReplayOptions {
  Weights weights = Weights::Equal;
  bool ordered_pairs = true;  ///< as sim::SimOptions
  Bytes eager_limit{64 * 1024};
};

/// Runs a schedule on SimGrid: an actor for each rank walks through its program, messages go
/// through a mailbox for each (sender, receiver, tag), costs of nodes are sleeps. Returns when each
/// rank ended, in seconds.
///
/// An eager message's mailbox has a permanent receiver, so that it flows at once. With ordered
/// pairs an actor for each connection sends its messages one after the other.
///
/// SimGrid's engine lives once in a process: @pre not called before in this process
std::vector<double> replay(const schedule::Schedule& plan, const topology::Machine& machine,
                           const ReplayOptions& options);

}  // namespace espalier::simgrid_check
