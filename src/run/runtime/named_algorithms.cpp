#include "runtime/named_algorithms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "collective/neighbourhood.hpp"
#include "runtime/settings.hpp"
#include "schedule/operation_names.hpp"
#include "select/candidates.hpp"
#include "select/quick_irregular.hpp"
#include "select/rules.hpp"
#include "topology/readers.hpp"
#include "tree/irregular_algorithm.hpp"

namespace espalier::runtime {
namespace {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

constexpr const char* kWhere = "ESPALIER_ALGORITHM";

/// Machines on which there is something to do for every algorithm: one level, few and many, narrow
/// and wide ones, ranks in the order of the machine and not.
std::vector<topology::Machine> sample_machines() {
  return {*topology::parse_synthetic("site:2(1ms) proc:4(1us)"),
          *topology::parse_synthetic("site:2(1ms) machine:2(100us) node:2(10us) proc:2(1us) "
                                     "placement=cyclic"),
          *topology::parse_synthetic("proc:16(1us)"),
          *topology::parse_synthetic("site:16(1ms) proc:16(1us) placement=cyclic")};
}

/// Deep and wide enough for every name: whether a name fits the machine at hand is seen when a call
/// is planned.
topology::Machine deep_and_wide_machine() {
  return *topology::parse_synthetic(
      "a:2(1ms) b:1(1ms) c:1(1ms) d:1(1ms) e:1(1ms) f:1(1ms) g:1(1ms) h:1(1ms) proc:4096(1us)");
}

struct Names {
  std::vector<std::string> whole;  ///< those whose messages are not cut
  std::vector<std::string> all;    ///< native too
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// The classical ones first, which people name most.
Names names_for(Operation operation) {
  Names names;
  names.all.emplace_back(kNativeName);
  for (const std::uint64_t count : {1U, 1U << 14U, 1U << 24U}) {
    for (const topology::Machine& machine : sample_machines()) {
      const Hierarchy hierarchy(machine);
      const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
      const std::vector<select::Plan> made = select::proposed_plans(hierarchy, call);
      for (auto one = made.rbegin(); one != made.rend(); ++one) {
        const std::string name = name_of(*one, call);
        if (count == 1) add_once(names.whole, name);
        add_once(names.all, name);
      }
    }
  }
  return names;
}

bool exists(Operation operation, const std::string& name) {
  std::vector<topology::Machine> machines = sample_machines();
  machines.push_back(deep_and_wide_machine());
  for (const topology::Machine& machine : machines) {
    const Hierarchy hierarchy(machine);
    const Collective call{operation, machine.size(), 0, 1U << 24U, Bytes{1}, true, {}};
    if (select::plan_named(name, hierarchy, call)) return true;
  }
  return false;
}

std::string meant(const std::string& word, const std::vector<std::string>& known,
                  const std::string& otherwise) {
  const std::string near = nearest(word, known);
  return near.empty() ? otherwise : fmt::format("did you mean \"{}\"?", near);
}

/// "the algorithms for allreduce are: native (the MPI library's own), ring ..."
std::string names_text(std::string_view call, const std::string& word,
                       const std::vector<std::string>& known) {
  return fmt::format("the algorithms for {} are: {} (the MPI library's own), {}", call, kNativeName,
                     some_names(word, known));
}

std::vector<std::string> trees_by_counts() {
  std::vector<std::string> names;
  for (const tree::IrregularAlgorithm& one : tree::irregular_algorithms()) {
    if (select::is_quick_tree(one.name))
      names.push_back(fmt::format("{}{}", select::kByCounts, one.name));
  }
  return names;
}

WrongAlgorithm no_such_operation(const std::string& name) {
  std::vector<std::string> known;
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    known.emplace_back(name_of(static_cast<Operation>(o)));
  }
  for (const Operation one : {Operation::NeighbourAllgather, Operation::NeighbourAlltoall}) {
    known.emplace_back(name_of(one));
  }
  return {{kWhere, fmt::format("there is no operation \"{:.60}\"", name),
           meant(name, known, "write operation=algorithm, such as broadcast=binomial")},
          fmt::format("the operations are: {}", fmt::join(known, ", "))};
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

void read_item(const std::string& item, NamedAlgorithms& named) {
  const std::size_t equals = item.find('=');
  if (equals == std::string::npos) {
    named.wrong.push_back({{kWhere, fmt::format("\"{:.60}\" names no operation", item),
                            "write operation=algorithm, such as broadcast=binomial"},
                           ""});
    return;
  }
  const std::string left = trimmed(item.substr(0, equals));
  const auto operation = schedule::called_operation_named(schedule::usual_name(left));
  if (!operation && left == "all" && trimmed(item.substr(equals + 1)) == kNativeName) {
    named.wrong.push_back(
        {{kWhere, "there is no operation \"all\"",
          "espalier run --disable, or ESPALIER_DISABLE=1, makes all calls native"},
         ""});
    return;
  }
  if (!operation) {
    named.wrong.push_back(no_such_operation(left));
    return;
  }
  const std::string name = trimmed(item.substr(equals + 1));
  if (auto wrong = check_algorithm(*operation, name)) {
    named.wrong.push_back(std::move(*wrong));
  } else {
    named.known[*operation] = name;
  }
}

}  // namespace

Error with_names(const WrongAlgorithm& wrong) {
  Error error = wrong.error;
  if (!wrong.names.empty()) error.hint += (error.hint.ends_with('?') ? " " : "; ") + wrong.names;
  return error;
}

std::optional<WrongAlgorithm> check_algorithm(Operation operation, const std::string& name) {
  const std::string_view call = schedule::name_of(operation);
  if (name == kNativeName) return std::nullopt;
  const bool can_differ = operation == Operation::Scatter || operation == Operation::Gather;
  if (const auto tree = select::tree_by_counts(name); tree && can_differ) {
    if (*tree == "random" || select::is_quick_tree(*tree)) return std::nullopt;
    const std::vector<std::string> trees = trees_by_counts();
    return WrongAlgorithm{
        {kWhere, fmt::format("there is no tree by counts \"{:.60}\" for {}", *tree, call),
         meant(name, trees, "\"counts:minimum-first\" is one")},
        fmt::format("the trees by counts are: {}", some_names(name, trees))};
  }
  if (schedule::is_neighbourhood(operation)) {
    if (collective::neighbour_plan_named(name)) return std::nullopt;
    const std::vector<std::string> routes{"direct", "relayed", "joined"};
    return WrongAlgorithm{
        {kWhere, fmt::format("there is no algorithm \"{:.60}\" for {}", name, call),
         meant(name, routes, "\"joined at level 1\" is one")},
        names_text(call, name, routes)};
  }
  if (exists(operation, name)) return std::nullopt;
  const Names names = names_for(operation);
  const std::string listing =
      fmt::format("\"espalier plan {} --machine MACHINE --all\" lists them", call);
  const std::string hint = meant(name, names.all, listing);
  return WrongAlgorithm{
      {kWhere, fmt::format("there is no algorithm \"{:.60}\" for {}", name, call), hint},
      names_text(call, name, names.whole) + (hint == listing ? "" : "; " + listing)};
}

NamedAlgorithms read_algorithms(const std::string& text) {
  NamedAlgorithms named;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = trimmed(text.substr(at, comma - at));
    if (!item.empty()) read_item(item, named);
    at = comma + 1;
  }
  return named;
}

}  // namespace espalier::runtime
