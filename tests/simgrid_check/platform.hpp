#pragma once

#include <functional>

#include "topology/machine.hpp"

namespace espalier::simgrid_check {

/// How SimGrid divides a link among flows of different latency.
enum class Weights {
  Equal,      ///< plain max-min fairness, as ours
  ByLatency,  ///< its CM02 model as it is: shares in proportion to 1 / latency, as TCP's Reno has
              ///< it
};

/// The latency of a message about to start, in seconds, by rank.
using LatencyOf = std::function<double(Rank from, Rank to)>;

/// Builds the machine as a SimGrid platform in this process's engine: a host "r<rank>" for each
/// process, a link for each capacity, a route for each ordered pair. Uplinks are two links, or one
/// if they are half duplex; backbones are shared; caps of flows are FATPIPE links.
///
/// Written from the meaning of a machine (docs/machine.md) alone, without sim::Network, so that the
/// two can disagree.
///
/// With equal weights every route has the same nominal latency of one second, which SimGrid takes
/// for the weight of the flow, and a factor that makes `latency_of` of it.
void build_platform(const topology::Machine& machine, Weights weights, const LatencyOf& latency_of);

}  // namespace espalier::simgrid_check
