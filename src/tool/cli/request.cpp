#include "cli/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/example_machines.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "model/node_costs.hpp"
#include "model/parse_model.hpp"
#include "model/time_reversed.hpp"
#include "report/text.hpp"
#include "schedule/operation_names.hpp"
#include "topology/load_machine.hpp"
#include "topology/usual_figures.hpp"

namespace espalier::cli {
namespace {

Error with_place(std::string where, Error error) {
  error.where = std::move(where);
  return error;
}

void tell(const std::string& machine, const std::string& note) {
  write_message(fmt::format("{:.200}: note: {}\n", machine, report::printable(note)));
}

topology::Machine with_times(topology::Machine machine, const std::string& name) {
  auto assumed = topology::with_usual_figures(std::move(machine));
  if (!assumed.note.empty()) tell(name, assumed.note);
  return std::move(assumed.machine);
}

/// What is neither a file nor a line may be the name of an example, mistyped.
Error with_examples(Error error, const std::string& argument) {
  if (!error.what.ends_with("is no file and no machine")) return error;
  const std::vector<std::string> names = example_machines();
  error.hint = fmt::format("{}{}; or the name of an example: {}", did_you_mean(argument, names),
                           error.hint, fmt::join(names, ", "));
  return error;
}

Expected<tree::Participants> participants_from(const RequestOptions& options,
                                               const topology::Machine& machine) {
  const Rank size = machine.size();
  auto root = rank_or_place(given_or(options.root, kUsualRoot), machine);
  if (!root) return with_place("--root", root.error());
  if (options.to.empty()) return tree::everybody(size, *root);
  auto to = parse_rank_list(options.to, size);
  if (!to) return with_place("--to", to.error());
  if (to->size() == 1 && to->front() == *root) {
    return Error{"--to", "nobody but the root is listed", "name who receives, or leave it out"};
  }
  return tree::multicast(size, *root, *to);
}

Expected<Rank> arity_from(const std::string& text) {
  Rank arity = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), arity);
  constexpr Rank kLargest = 1'000'000;
  if (code == std::errc() && end == text.data() + text.size() && arity >= 2 && arity <= kLargest) {
    return arity;
  }
  return Error{"--arity", fmt::format("\"{}\" is not an arity", text), "write a number from 2 on"};
}

Expected<schedule::Operation> tree_operation(const std::string& text) {
  if (text.empty()) return schedule::Operation::Broadcast;
  const auto operation = schedule::operation_called(text);
  if (operation == schedule::Operation::Broadcast || operation == schedule::Operation::Reduce) {
    return *operation;
  }
  if (is_irregular(text)) {
    return Error{"--operation",
                 fmt::format("{} needs the lengths of its blocks", schedule::usual_name(text)),
                 "give --counts: equal, uniform, powerlaw, or a file"};
  }
  if (operation) {
    return Error{"--operation", fmt::format("{} has no single tree", name_of(*operation)),
                 fmt::format("it is one of broadcast, reduce; espalier plan {} plans the others",
                             name_of(*operation))};
  }
  const bool is_machine = text.find(':') != std::string::npos;
  return Error{"--operation", fmt::format("\"{:.60}\" is not an operation", text),
               is_machine ? "a machine is named by --machine" : "it is one of broadcast, reduce"};
}

}  // namespace

void declare(App& app, RequestOptions& options) {
  app.add_option("-m,--machine", options.machine,
                 "The machine: a file or a description such as \"site:2(30ms) proc:16\"; see "
                 "MACHINES.")
      .type_name("MACHINE");
  app.add_option("-r,--root", options.root,
                 "The rank that sends, or reduces to, or its place: Lyon, Lyon.n1.0. "
                 "Default: 0.")
      .type_name("RANK");
  app.add_option("-t,--to", options.to,
                 "Only these ranks take part, besides the root: 1,3,5-7. Default: all.")
      .type_name("LIST");
  app.add_option("-s,--size", options.size, "The length of the message. Default: 1KiB.")
      .type_name("BYTES");
  app.add_option("--model", options.model,
                 fmt::format("The cost model, one of: {}. Default: levels, from the latencies, "
                             "bandwidths and costs of the machine.",
                             model::model_names()))
      .type_name("MODEL");
  app.add_option("-k,--arity", options.arity, "Of the k-ary and k-nomial trees. Default: 2.")
      .type_name("K");
  app.add_option("-o,--operation,OPERATION", options.operation,
                 "broadcast or reduce: away from the root or towards it; with --counts scatterv or "
                 "gatherv. The name alone does too. Default: broadcast.")
      .type_name("NAME");
}

Expected<topology::Machine> machine_from(const std::string& argument, const std::string& where) {
  if (argument.empty()) {
    return Error{where, "no machine is named",
                 "name a file, or describe one, such as \"site:2(30ms) proc:16\""};
  }
  auto loaded = topology::load_machine(file_of_machine(argument));
  if (!loaded) return with_examples(loaded.error(), argument);
  for (const std::string& note : loaded->notes) tell(argument, note);
  return std::move(loaded->machine);
}

Expected<topology::Machine> timed_machine_from(const std::string& argument,
                                               const std::string& where) {
  auto machine = machine_from(argument, where);
  if (!machine) return machine;
  return with_times(*std::move(machine), argument);
}

Expected<topology::Machine> timed_machine_of(const std::string& text, const std::string& name) {
  auto loaded = topology::parse_machine(text, name);
  if (!loaded) return loaded.error();
  for (const std::string& note : loaded->notes) tell(name, note);
  return with_times(std::move(loaded->machine), name);
}

Expected<TreePlanRequest> understand(const RequestOptions& options) {
  auto operation = tree_operation(options.operation);
  if (!operation) return operation.error();
  auto arity = arity_from(given_or(options.arity, "2"));
  if (!arity) return arity.error();
  auto size = parse_bytes(given_or(options.size, kUsualSize));
  if (!size) return with_place("--size", size.error());
  if (size->value == 0) return Error{"--size", "of 0 B nothing has to move", "give at least 1 B"};
  auto read = timed_machine_from(options.machine, "--machine");
  if (!read) return read.error();
  auto machine = std::make_unique<const topology::Machine>(*std::move(read));
  auto who = participants_from(options, *machine);
  if (!who) return who.error();
  auto model = model::parse_model(given_or(options.model, "levels"), *machine, *size);
  if (!model) return with_place("--model", model.error());
  const topology::Machine& placed = *machine;
  return TreePlanRequest{
      std::move(machine), placed, std::move(*model), std::move(*who), *size, *arity, *operation};
}

Expected<const tree::Algorithm*> algorithm_from(const std::string& name) {
  if (const tree::Algorithm* found = tree::find_algorithm(name)) return found;
  std::vector<std::string> known;
  for (const tree::Algorithm& a : tree::algorithms()) known.emplace_back(a.name);
  // Plans name the arity first, as in "4-nomial".
  const std::size_t digits = name.find_first_not_of("0123456789");
  if (digits > 0 && digits != std::string::npos && name[digits] == '-') {
    const std::string of_arity = fmt::format("k{}", name.substr(digits + 1));
    if (tree::find_algorithm(of_arity) != nullptr) {
      return Error{"--algorithm", fmt::format("there is no algorithm \"{}\"", name),
                   fmt::format("--algorithm {} --arity {}", of_arity, name.substr(0, digits))};
    }
  }
  const std::string near = nearest(name, known);
  return Error{
      "--algorithm",
      name.empty() ? "no algorithm is named" : fmt::format("there is no algorithm \"{}\"", name),
      fmt::format("{}the algorithms are: {}",
                  near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near),
                  fmt::join(known, ", "))};
}

Expected<report::TimedTree> plan(const TreePlanRequest& request, const tree::Algorithm& algorithm) {
  const topology::Machine& machine = request.machine;
  const bool reduces = request.operation == schedule::Operation::Reduce;
  std::vector<Time> costs =
      reduces ? model::recv_costs(machine, request.size) : model::send_costs(machine, request.size);
  const model::TimeReversedReduction backwards(*request.model, machine);
  const model::CostModel& planned =
      reduces ? static_cast<const model::CostModel&>(backwards) : *request.model;
  if (reduces) {
    const std::vector<Time> combining = model::combine_costs(machine, request.size);
    for (Rank r = 0; r < machine.size(); ++r) costs[r] += combining[r];
  }
  const tree::TreeRequest asked{request.who, costs, planned, request.size, request.arity};
  if (algorithm.refusal != nullptr) {
    if (auto error = algorithm.refusal(asked)) return with_place("--algorithm", *error);
  }
  tree::CommTree tree = algorithm.build(asked);
  return report::time_tree(machine, std::string(algorithm.name), std::move(tree), *request.model,
                           request.size, request.operation);
}

}  // namespace espalier::cli
