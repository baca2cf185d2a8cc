#pragma once

#include <optional>
#include <string>
#include <vector>

#include "select/ranking.hpp"

namespace espalier::select {

/// A predicted time as a sum over the machine's levels.
///
/// A prediction is a maximum of sums of latencies, bytes over bandwidths and processor costs: it is
/// piecewise linear in these figures, and multiplying all of them multiplies it. So (Euler) it is
/// the sum of what each contributes, and a contribution is how the prediction changes when that one
/// figure changes by a little.
struct Formula {
  struct Level {
    double latencies = 0;  ///< how many latencies of the level's first channel
    /// How many times message / bandwidth of that channel; 0 if it has no limit.
    double transfers = 0;
    Time from_latency;  ///< contribution of `latencies` in time
    Time from_bytes;
  };
  std::vector<Level> levels;
  Time from_processors;
};
[[nodiscard]] Formula formula(const Plan& plan, const collective::Hierarchy& hierarchy,
                              const schedule::Collective& call);
/// How a formula calls a level: by its channel, else by its members, else by its number.
[[nodiscard]] std::string symbol(const topology::Machine& machine, std::size_t level);
/// "1.00 L_wan + 2.00 L_lan + 1.02 m/B_wan + 31 us of processors"
[[nodiscard]] std::string to_string(const Formula& formula, const topology::Machine& machine);

/// Where another plan would be faster: the latency of the outermost level at which it takes over.
struct Limit {
  Time latency;
  bool below = false;  ///< whether the other plan wins below this latency; false: above it
  std::string then;    ///< name of the plan that is faster there
};
/// The nearest limits on both sides, within a factor of a thousand of the machine's own latency.
/// None with more than 1,024 ranks. @param ranked the chosen plan first; the next few that differ
/// from it in more than their segments, and are not faster already, are tried against it
[[nodiscard]] std::vector<Limit> limits(const std::vector<Choice>& ranked,
                                        const collective::Hierarchy& hierarchy,
                                        const schedule::Collective& call);

}  // namespace espalier::select
