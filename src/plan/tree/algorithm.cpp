#include "tree/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tree/earliest_completing_edge_first.hpp"
#include "tree/exact_optimum.hpp"
#include "tree/initiation_trees.hpp"
#include "tree/postal_optimal.hpp"
#include "tree/shapes.hpp"

namespace espalier::tree {
namespace {

/// lambda is that of the first link: the algorithm takes all links as equal.
CommTree postal_optimal_of(const TreeRequest& r) {
  if (r.who.others.empty()) return postal_optimal(r.who, {});
  const auto cost = r.model.cost(r.who.root, r.who.others.front(), r.size);
  return postal_optimal(r.who, {cost.sender_busy, cost.delivered});
}

CommTree optimum_of(const TreeRequest& r) {
  return exact_optimum(initiation_costs_of(r.model, r.size, r.who).value(), r.who).tree;
}

std::optional<Error> optimum_refused(const TreeRequest& r) {
  const auto costs = initiation_costs_of(r.model, r.size, r.who);
  return costs ? std::nullopt : std::optional(costs.error());
}

constexpr Rank kQuickEcef = 2048;

/// Looking at every pair of these takes minutes and 2 GiB; twice as many, four times that.
std::optional<Error> too_many_pairs(const TreeRequest& r) {
  constexpr Rank kMost = 16384;
  if (r.who.count() <= kMost) return {};
  return Error{"",
               fmt::format("{} ranks take part; it looks at every pair of them, and is for at "
                           "most {}",
                           r.who.count(), kMost),
               "name fewer ranks, or take an algorithm that looks at each rank once, such as fnf"};
}

constexpr std::array kAlgorithms{
    Algorithm{"flat", "flat tree", "Pjesivac-Grbovic et al., Cluster Computing 2007",
              [](const TreeRequest& r) { return flat(r.who); }},
    Algorithm{"chain", "chain", "Pjesivac-Grbovic et al., Cluster Computing 2007",
              [](const TreeRequest& r) { return chain(r.who); }},
    Algorithm{"binomial", "binomial tree", "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
              [](const TreeRequest& r) { return binomial(r.who); }},
    Algorithm{"knomial", "k-nomial tree", "Wilkins et al., CLUSTER 2023",
              [](const TreeRequest& r) { return knomial(r.who, r.arity); }},
    Algorithm{"kary", "k-ary tree", "Pjesivac-Grbovic et al., Cluster Computing 2007",
              [](const TreeRequest& r) { return kary(r.who, r.arity); }},
    Algorithm{"bine", "Bine tree, distance halving", "De Sensi et al., SC 2025",
              [](const TreeRequest& r) { return bine(r.who); }},
    Algorithm{"postal", "postal-optimal tree", "Bar-Noy, Kipnis, SPAA 1992", postal_optimal_of},
    Algorithm{"spoc", "speed-partitioned ordered chain", "Banikazemi, Moorthy, Panda, ICPP 1998",
              [](const TreeRequest& r) { return spoc(r.send_cost, r.who); }},
    Algorithm{"fnf", "fastest node first", "Banikazemi, Moorthy, Panda, ICPP 1998",
              [](const TreeRequest& r) { return fastest_node_first(r.send_cost, r.who); }},
    Algorithm{"optimal", "exact optimum under initiation costs",
              "Banikazemi, Moorthy, Panda, ICPP 1998; branch and bound", optimum_of,
              optimum_refused},
    Algorithm{
        "ecef", "earliest completing edge first", "Bhat, Raghavendra, Prasanna, ICDCS 1999",
        [](const TreeRequest& r) { return earliest_completing_edge_first(r.model, r.size, r.who); },
        too_many_pairs, kQuickEcef},
    Algorithm{"ecef-la", "earliest completing edge first with look-ahead",
              "Bhat, Raghavendra, Prasanna, ICDCS 1999",
              [](const TreeRequest& r) {
                return earliest_completing_edge_first_look_ahead(r.model, r.size, r.who);
              },
              too_many_pairs, kQuickEcef},
};

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(std::string_view name) {
  const auto it = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                               [&](const Algorithm& a) { return a.name == name; });
  return it == kAlgorithms.end() ? nullptr : &*it;
}

}  // namespace espalier::tree
