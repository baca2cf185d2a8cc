#include "collective/algorithm.hpp"

#include <algorithm>

#include "collective/name_reader.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;

namespace {

constexpr std::string_view kAlongTheMachine = " along the machine";

/// No if the ranks lie in this order anyway: then it is the form by number itself.
bool can_go_along(const Algorithm& algorithm, const Hierarchy& hierarchy, const Collective& call) {
  return algorithm.traits.along_machine && (call.commutative || !reduces(call.operation)) &&
         !hierarchy.shape().in_order;
}

bool goes_along(const Parameters& parameters) {
  const auto* order = std::get_if<RankOrder>(&parameters);
  return order != nullptr && *order == RankOrder::AlongTree;
}

}  // namespace

bool has_blocks(Operation operation) {
  return operation == Operation::Gather || operation == Operation::Scatter ||
         operation == Operation::Allgather || operation == Operation::Alltoall ||
         operation == Operation::ReduceScatter;
}

const Algorithm* find_algorithm(Operation operation, std::string_view name, AlgorithmTable table) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const Algorithm* algorithm) {
    return algorithm->operations.contains(operation) && algorithm->name == name;
  });
  return it == table.end() ? nullptr : *it;
}

bool has_form_of(const Algorithm& algorithm, const Collective& call) {
  const bool any_order = call.commutative || !reduces(call.operation);
  return algorithm.operations.contains(call.operation) && call.size > 0 &&
         (any_order || algorithm.traits.keeps_rank_order) &&
         (!call.irregular() || has_blocks(call.operation));
}

bool serves(const Algorithm& algorithm, const Hierarchy& hierarchy, const Collective& call,
            const Parameters& parameters) {
  if (!has_form_of(algorithm, call)) return false;
  if (goes_along(parameters) && !can_go_along(algorithm, hierarchy, call)) return false;
  return algorithm.refuses == nullptr || !algorithm.refuses(hierarchy, call, parameters);
}

std::vector<Parameters> proposals(const Algorithm& algorithm, const Hierarchy& hierarchy,
                                  const Collective& call) {
  if (!has_form_of(algorithm, call)) return {};
  std::vector<Parameters> all{RankOrder::Rising, RankOrder::AlongTree};
  if (algorithm.propose != nullptr) all = algorithm.propose(hierarchy, call);
  std::vector<Parameters> forms;
  std::erase_if(all, [&](const Parameters& parameters) {
    if (!serves(algorithm, hierarchy, call, parameters)) return true;
    Parameters form = canonical(algorithm, hierarchy, call, parameters);
    if (std::find(forms.begin(), forms.end(), form) != forms.end()) return true;
    forms.push_back(std::move(form));
    return false;
  });
  return all;
}

Parameters canonical(const Algorithm& algorithm, const Hierarchy& hierarchy, const Collective& call,
                     Parameters parameters) {
  if (algorithm.canonical == nullptr) return parameters;
  return algorithm.canonical(hierarchy, call, std::move(parameters));
}

std::string name_of(const Algorithm& algorithm, const Collective& call,
                    const Parameters& parameters) {
  std::string name(algorithm.name);
  if (algorithm.text != nullptr) return name + algorithm.text(call, parameters);
  return goes_along(parameters) ? name + std::string(kAlongTheMachine) : name;
}

std::optional<Parameters> parameters_named(const Algorithm& algorithm, std::string_view name,
                                           const Hierarchy& hierarchy, const Collective& call) {
  NameReader reader(name, call);
  if (!algorithm.operations.contains(call.operation) || !reader.take(algorithm.name)) return {};
  std::optional<Parameters> found;
  if (algorithm.read != nullptr) {
    found = algorithm.read(reader, hierarchy);
  } else {
    found = reader.take(kAlongTheMachine) ? RankOrder::AlongTree : RankOrder::Rising;
  }
  if (!found || !reader.at_end() || !serves(algorithm, hierarchy, call, *found)) return {};
  return found;
}

}  // namespace espalier::collective
