#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expected.hpp"
#include "schedule/collective.hpp"
#include "topology/machine.hpp"
#include "topology/message_costs.hpp"
#include "topology/views.hpp"

namespace espalier::view {

/// What-if: figures of the machine that differ from its description.
struct Changes {
  std::vector<topology::LevelScale> levels;
  std::vector<topology::MessageCost> nodes;
  std::vector<std::pair<Rank, Rank>> swaps;  ///< ranks that change places, one after the other
  friend bool operator==(const Changes&, const Changes&) = default;
};

/// The machine with these changes. @pre their levels and ranks are the machine's
[[nodiscard]] topology::Machine changed(const topology::Machine& machine, const Changes& changes);

/// What the page asks for.
struct Query {
  schedule::Operation operation = schedule::Operation::Broadcast;
  Bytes size{1024};  ///< message or block; reductions round it up to elements of 8 bytes
  Rank root = 0;
  std::string plan;    ///< name of the plan to show; empty: the chosen one
  bool quick = false;  ///< a control is still moving: no times of other plans are simulated
  Changes changes;
};

/// Reads {"operation": "broadcast", "size_bytes": 1024, ...}; docs/formats.md has all of it.
Expected<Query> read_query(std::string_view json, const topology::Machine& machine);

/// The collective call that the query means.
[[nodiscard]] schedule::Collective call_of(const Query& query, Rank ranks);

}  // namespace espalier::view
