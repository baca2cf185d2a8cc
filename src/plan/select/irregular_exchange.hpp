#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/schedule.hpp"
#include "sim/options.hpp"

namespace espalier::select {

/// A way to do an allgatherv or alltoallv whose lengths are all known, and its time by simulation.
struct ExchangeChoice {
  std::string name;
  bool by_counts = false;  ///< goes by the lengths: the others have the shapes of the regular calls
  Time predicted;
  std::function<schedule::Program(Rank)> program_of;
};

/// All of them: the plans for equal blocks, whose messages carry what the lengths say; of an
/// allgatherv those along trees by the lengths (collective/irregular_allgather.hpp), from the rank
/// with the longest block; of an alltoallv the one that leaves empty blocks out. The fastest first,
/// ties in that order.
///
/// What they hold refers to `hierarchy`, which must outlive them. @pre call is such a one
[[nodiscard]] std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                                           const schedule::Collective& call,
                                                           const sim::SimOptions& options);

[[nodiscard]] schedule::Schedule schedule_of(const ExchangeChoice& choice,
                                             const schedule::Collective& call);

}  // namespace espalier::select
