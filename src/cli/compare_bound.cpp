#include "cli/compare_bound.hpp"

#include <fmt/format.h>

#include "report/text.hpp"
#include "tree/exact_optimum.hpp"
#include "tree/initiation_costs.hpp"

namespace espalier::cli {

std::optional<report::Bound> bound_for(const Request& request) {
  if (request.operation != report::Operation::Broadcast) return {};
  const auto costs = tree::initiation_costs_of(*request.model, request.size, request.who);
  if (!costs) return {};  // links or receiving count: nothing is proven about such models here
  const tree::ExactResult exact = tree::exact_optimum(*costs, request.who);
  return report::Bound{
      exact.lower_bound, exact.proven(),
      fmt::format("branch and bound, {} steps", report::grouped(exact.search_steps))};
}

}  // namespace espalier::cli
