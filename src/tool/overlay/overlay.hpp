#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "schedule/schedule.hpp"
#include "sim/result.hpp"
#include "topology/machine.hpp"
#include "trace/trace.hpp"

namespace espalier::overlay {

/// One message of a call, simulated and measured.
struct Pair {
  std::uint32_t simulated = 0;  ///< index into Overlay::simulated->timeline
  std::uint32_t measured = 0;   ///< index into Overlay::call.messages
  Time simulated_takes;         ///< time from the begin of the send to the end of the receive
  Time measured_takes;
  std::uint32_t link = 0;  ///< index into Overlay::links

  /// How much longer it took than simulated; negative: it was faster.
  [[nodiscard]] Time excess() const { return measured_takes - simulated_takes; }
};

/// The messages between two parts of the machine, both ways.
struct Link {
  std::string name;  ///< "site0 - site2"
  std::uint32_t level = 0;
  std::uint64_t messages = 0;
  Time median_excess;
  Time largest_excess;
};

/// A call that ran, and the same plan simulated on the machine that it was made for. The ranks of
/// the simulation enter when those of the call did, so late ranks make no difference.
struct Overlay {
  topology::Machine machine;
  trace::Plan plan;
  trace::Call call;
  Time residual;  ///< clocks are off by this much: smaller differences mean nothing
  std::optional<schedule::Schedule> schedule = {};
  std::optional<sim::SimResult> simulated = {};  ///< traced
  std::string why_not = {};                      ///< why nothing is simulated; empty: something is
  std::vector<Pair> pairs = {};
  std::uint64_t unmatched = 0;   ///< messages of the call that the simulation does not have
  std::vector<Link> links = {};  ///< the largest median excess first
  /// Index of the pair with the largest excess; absent if none exceeds the residual.
  std::optional<std::size_t> largest = {};
};

/// @param call index into trace.calls
Expected<Overlay> overlay_of(const trace::Trace& trace, std::size_t call);

/// Whether the call is the first along its plan on its communicator, and others follow: it opens
/// connections, so its messages take longer than those of all others.
[[nodiscard]] bool is_warm_up(const trace::Trace& trace, std::size_t call);

/// From the entry of the first rank to the end of the last.
[[nodiscard]] Time measured_time(const trace::Call& call);

/// "rank 0 to rank 8, 16 KiB over site0 - site2: 62.1 ms, simulated 11.3 ms: 50.8 ms longer"
[[nodiscard]] std::string largest_in_words(const Overlay& overlay);

/// Links of several calls on one machine, with the excess over all their messages.
[[nodiscard]] std::vector<Link> links_of(const std::vector<Overlay>& overlays);

}  // namespace espalier::overlay
