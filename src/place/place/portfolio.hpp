#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "map/problem.hpp"
#include "place/select_topology.hpp"

namespace espalier::place {

/// One placement, and how well it does.
struct Candidate {
  std::string name;
  map::Placement placement;
  Time predicted;  ///< run time that the replay of the trace gives
  Time traffic;    ///< total_cost() of the placement: decides between equal predictions
};

struct SearchOptions {
  std::uint64_t search_steps = 6'000'000;  ///< most steps that the local search may replay
  /// Longest trace that predictions replay; longer loops are cut.
  std::uint64_t trace_steps = 300'000;
  std::uint64_t seed = 1;
};

struct Answer {
  std::vector<Candidate> candidates;  ///< [0] is sequential: slots in the order of the inventory
  std::size_t chosen = 0;
  Selection paper;          ///< result of the paper's selection with all its principles
  bool is_replayed = true;  ///< false: the trace is too long, and `predicted` is `traffic`
};

/// Tries all placements: the paper's policies, greedy, libscotch and TreeMatch-style groups (on the
/// clusters that the paper would take; if nodes differ in speed, also on the fastest nodes), the
/// best after refine(), and a local search on the predicted time from the best three. Chooses the
/// shortest predicted time, so it is never predicted to be worse than any of them alone. The chosen
/// one takes hosts that are alike in the order of the inventory.
[[nodiscard]] Answer place_processes(const map::Problem& problem,
                                     const SearchOptions& options = {});

/// Goes down the machine's tree: the processes of each cluster are divided among its members by
/// libscotch (F. Pellegrini, J. Roman: "Scotch: a software package for static mapping by dual
/// recursive bipartitioning of process and architecture graphs", HPCN 1996).
[[nodiscard]] map::Placement scotch_placement(const map::Problem& problem,
                                              const std::vector<std::uint32_t>& slots);

}  // namespace espalier::place
