#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/link_cells.hpp"
#include "lab/plan.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

/// A change of links while programs run.
struct Change {
  std::optional<Time> latency;
  std::optional<Bandwidth> bandwidth;
  std::optional<bool> cut;
  std::optional<std::uint64_t> loss_ppm;  ///< packets that ways lose, in millionths
  std::optional<std::uint64_t>
      reorder_ppm;                 ///< frames of ways that later ones overtake, in millionths
  std::optional<Time> jitter;      ///< longest time that ways add to their delay
  std::optional<Bandwidth> cross;  ///< traffic of others on uplinks

  /// Whether nothing is changed.
  [[nodiscard]] bool is_empty() const;
};

/// "0.1%" or "0.001" in millionths. @param option for the message if it is no share
Expected<std::uint64_t> parse_millionths(const char* option, const std::string& text);

/// The links that a name means, and what of a change concerns each.
///
/// - a level's channel ("wan"): the latency of all its ways, the bandwidth of its members' uplinks,
///   as in the level of a machine file; a cut takes its ways. Loss and jitter go with the latency,
///   cross traffic with the bandwidth;
/// - a part ("anl", "anl.m1"): its uplinks;
/// - "a>b" or "a<>b", two parts of one cluster: the way from one to the other, or both;
/// - the whole name of a link, as `stats` prints it.
struct ChosenLinks {
  std::vector<std::uint32_t> latency;
  std::vector<std::uint32_t> bandwidth;
  std::vector<std::uint32_t> cut;
};
Expected<ChosenLinks> links_called(const topology::Machine& machine, const LabPlan& plan,
                                   const std::string& name);

void apply(const Change& change, const ChosenLinks& chosen, std::span<LinkCell> cells);

}  // namespace espalier::lab
