#include "select/irregular_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "collective/alltoall.hpp"
#include "collective/irregular_allgather.hpp"
#include "select/candidates.hpp"
#include "select/irregular.hpp"
#include "sim/simulate.hpp"

namespace espalier::select {

using schedule::Collective;
using schedule::Operation;

namespace {

constexpr std::array kTrees{"linear",       "binomial",    "minimum-first",
                            "model-traeff", "clustered-1", "clustered-2",
                            "clustered-4",  "clustered-8", "clustered-traeff-1"};
/// Blocks from which on they flow by themselves; the last: none does.
constexpr std::array<std::uint64_t, 4> kLongFrom{4 * 1024, 32 * 1024, 256 * 1024,
                                                 ~std::uint64_t{0}};

void add_trees(const topology::Machine& machine, const Collective& call,
               std::vector<ExchangeChoice>& choices) {
  // Everybody is in the tree: whoever has nothing gets everything all the same.
  Collective scatter = call;
  scatter.operation = Operation::Scatter;
  scatter.root = static_cast<Rank>(std::max_element(call.counts.begin(), call.counts.end()) -
                                   call.counts.begin());
  for (std::uint64_t& count : scatter.counts) count = std::max<std::uint64_t>(1, count);
  IrregularConditions all_fits;
  all_fits.bundle_limit = Bytes{~std::uint64_t{0}};  // what passes a rank it gets itself
  for (const char* name : kTrees) {
    const tree::CommTree tree = irregular_plan(name, machine, scatter, all_fits).tree;
    std::size_t last = ~std::size_t{0};
    for (const std::uint64_t long_from : kLongFrom) {
      const auto plan =
          std::make_shared<const collective::IrregularAllgather>(tree, call, Bytes{long_from});
      if (plan->long_blocks() == last) continue;
      last = plan->long_blocks();
      std::string text = fmt::format("{} by counts", name);
      if (last > 0) text += fmt::format(", {} blocks by themselves", last);
      choices.push_back(
          {std::move(text), true, Time{}, [plan](Rank rank) { return plan->program_of(rank); }});
    }
  }
}

}  // namespace

schedule::Schedule schedule_of(const ExchangeChoice& choice, const Collective& call) {
  schedule::Schedule schedule{call, choice.name, {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) schedule.programs.push_back(choice.program_of(r));
  return schedule;
}

std::vector<ExchangeChoice> exchange_ranking(const collective::Hierarchy& hierarchy,
                                             const Collective& call,
                                             const sim::SimOptions& options) {
  expects(call.irregular() &&
              (call.operation == Operation::Allgather || call.operation == Operation::Alltoall),
          "exchange_ranking: neither allgatherv nor alltoallv");
  const auto kept = std::make_shared<const Collective>(call);
  std::vector<ExchangeChoice> choices;
  for (Candidate& candidate : candidates(hierarchy, *kept)) {
    choices.push_back({candidate.name, false, Time{},
                       [kept, build = candidate.program_of](Rank rank) { return build(rank); }});
  }
  if (call.operation == Operation::Allgather) {
    add_trees(hierarchy.machine(), call, choices);
  } else {
    choices.push_back({"direct without empty blocks", true, Time{},
                       [kept](Rank rank) { return collective::sparse_alltoall(*kept, rank); }});
  }
  for (ExchangeChoice& choice : choices) {
    choice.predicted =
        sim::simulate(schedule_of(choice, call), hierarchy.machine(), options).finish;
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
  return choices;
}

}  // namespace espalier::select
