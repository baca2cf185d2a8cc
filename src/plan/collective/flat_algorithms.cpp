#include "collective/flat_algorithms.hpp"

#include <algorithm>
#include <vector>

#include "base/contract.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Schedule;

namespace {

/// Whether the blocks of a call may differ in length.
bool has_blocks(Operation operation) {
  return operation == Operation::Gather || operation == Operation::Scatter ||
         operation == Operation::Allgather || operation == Operation::Alltoall ||
         operation == Operation::ReduceScatter;
}

}  // namespace

bool FlatAlgorithm::applicable(const Collective& call) const {
  return call.operation == operation && call.size > 0 && serves(call.size) &&
         (!reduces(operation) || call.commutative || keeps_rank_order) &&
         (!call.irregular() || has_blocks(operation));
}

Program FlatAlgorithm::build(const Collective& call, Rank me, std::uint64_t segment) const {
  expects(applicable(call), "FlatAlgorithm: not for this call");
  expects(me < call.size && call.root < call.size, "FlatAlgorithm: a rank beyond the end");
  ProgramBuilder program(me);
  append(program, call, segment);
  return std::move(program).build();
}

std::span<const FlatAlgorithm> flat_algorithms() {
  static const std::vector<FlatAlgorithm> all = [] {
    std::vector<FlatAlgorithm> found;
    for (const auto kind : {flat_rooted(), flat_exchanges(), flat_reductions()}) {
      found.insert(found.end(), kind.begin(), kind.end());
    }
    return found;
  }();
  return all;
}

const FlatAlgorithm* find_flat_algorithm(Operation operation, std::string_view name) {
  const auto all = flat_algorithms();
  const auto it = std::find_if(all.begin(), all.end(), [&](const FlatAlgorithm& algorithm) {
    return algorithm.operation == operation && algorithm.name == name;
  });
  return it == all.end() ? nullptr : &*it;
}

Schedule flat_schedule(const FlatAlgorithm& algorithm, const Collective& call,
                       std::uint64_t segment) {
  Schedule schedule{call, std::string(algorithm.name), {}};
  schedule.programs.reserve(call.size);
  for (Rank r = 0; r < call.size; ++r) {
    schedule.programs.push_back(algorithm.build(call, r, segment));
  }
  return schedule;
}

}  // namespace espalier::collective
