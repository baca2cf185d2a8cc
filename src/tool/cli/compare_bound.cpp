#include "cli/compare_bound.hpp"

#include <fmt/core.h>

#include "tree/exact_optimum.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::cli {

std::optional<report::Bound> bound_for(const Request& request) {
  if (request.operation != schedule::Operation::Broadcast) return {};
  const auto costs = tree::initiation_costs_of(*request.model, request.size, request.who);
  if (!costs) return {};
  const tree::ExactResult best = tree::exact_optimum(*costs, request.who);
  return report::Bound{best.lower_bound, best.proven(),
                       best.search_steps == 0
                           ? "proven without a search"
                           : fmt::format("branch and bound, {} steps", best.search_steps)};
}

}  // namespace espalier::cli
