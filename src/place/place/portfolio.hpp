#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "map/problem.hpp"
#include "place/select_topology.hpp"

namespace espalier::place {

/// A way to place, and what came of it.
struct Candidate {
  std::string name;
  map::Placement placement;
  Time predicted;  ///< by replay
  Time traffic;    ///< total_cost(): decides among equals
};

struct SearchOptions {
  std::uint64_t search_steps = 6'000'000;  ///< replayed by the local search
  std::uint64_t trace_steps = 300'000;     ///< of the trace that predictions are made with
  std::uint64_t seed = 1;
};

struct Answer {
  std::vector<Candidate> candidates;  ///< [0] is sequential: slots as listed
  std::size_t chosen = 0;
  Selection paper;          ///< the paper's steps, all principles
  bool is_replayed = true;  ///< else the trace is too long, and `predicted` is `traffic`
};

/// Everything there is: the paper's policies, greedy, libscotch, TreeMatch-style groups (on the
/// clusters that the paper would take, and on the fastest nodes where they differ), each also after
/// refine(); then a local search on the predicted time from the best of them. Chosen is the one
/// with the shortest predicted time; so it is never worse, as predicted, than any of them alone.
[[nodiscard]] Answer place_processes(const map::Problem& problem,
                                     const SearchOptions& options = {});

}  // namespace espalier::place
