#include "cli/irregular_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/options.hpp"
#include "cli/rank_list.hpp"
#include "cli/request.hpp"
#include "model/parse_model.hpp"
#include "report/simulated_plan.hpp"
#include "schedule/operation_names.hpp"
#include "select/block_counts.hpp"
#include "select/irregular_exchange.hpp"
#include "topology/views.hpp"

namespace espalier::cli {
namespace {

using schedule::Collective;
using schedule::Operation;

Error error_within(std::string where, Error error) {
  if (error.where.empty()) error.where = std::move(where);
  return error;
}

Expected<Operation> irregular_operation(const std::string& text) {
  const std::string name = schedule::usual_name(text);
  if (name == "scatter" || name == "scatterv") return Operation::Scatter;
  if (name == "gather" || name == "gatherv") return Operation::Gather;
  if (name == "allgather" || name == "allgatherv") return Operation::Allgather;
  if (name == "alltoall" || name == "alltoallv") return Operation::Alltoall;
  return Error{"--counts",
               name.empty() ? "no operation is named"
                            : fmt::format("\"{:.60}\" has no lengths for each rank", name),
               "lengths are for scatterv, gatherv, allgatherv and alltoallv"};
}

/// Options that mean nothing here are refused, not passed over.
std::optional<Error> without_meaning(const IrregularCallOptions& options, bool exchanges) {
  if (exchanges && !options.root.empty()) {
    return Error{"--root", fmt::format("{} has no root", schedule::usual_name(options.operation)),
                 "leave it out"};
  }
  const std::string distribution = options.counts.counts.substr(0, options.counts.counts.find(':'));
  const auto& known = select::count_distributions();
  const bool is_drawn = std::find(known.begin(), known.end(), distribution) != known.end();
  // Lengths of all pairs of as many ranks as are planned for take less than a tenth of it.
  std::error_code error;
  if (!is_drawn && std::filesystem::is_regular_file(options.counts.counts, error) &&
      std::filesystem::file_size(options.counts.counts, error) > kUnlikelyBytes) {
    return Error{options.counts.counts, "it is too large for a file of lengths",
                 "write a whole number for each rank, with blanks between them"};
  }
  if (exchanges && !options.counts.model.empty()) {
    return Error{
        "--model",
        fmt::format("{} has no trees that go by a model", schedule::usual_name(options.operation)),
        "leave it out; scatterv and gatherv have such trees"};
  }
  if (!is_drawn && !options.size.empty()) {
    return Error{"--size", "the lengths stand in the file of --counts", "leave it out"};
  }
  return std::nullopt;
}

/// Scatterv and gatherv: some thirty trees are built, and some of them simulated.
constexpr Rank kTreesUpTo = 4096;
/// Every rank's messages to every other are simulated, plan by plan.
constexpr Rank kExchangedUpTo = 512;
/// Work of all simulations unless --all is given, in messages: as much as a choice among plans for
/// equal blocks is worth at most. A plan along a tree has a message for each rank.
constexpr std::uint64_t kTreeMessages = std::uint64_t{1} << 14U;
/// The same of exchanges, whose plans have a message for each pair of ranks: as much as the table
/// of plans for equal blocks takes.
constexpr std::uint64_t kExchangeMessages = std::uint64_t{1} << 18U;

}  // namespace

void declare(App& app, CountsOptions& options) {
  Option counts =
      app.add_option(
             "--counts", options.counts,
             "Scatterv, gatherv, allgatherv, alltoallv: the lengths of the ranks' blocks. A FILE "
             "with a number of bytes for each rank (alltoallv: for each pair, row by row), or "
             "equal, cpu-speed, uniform[:SEED], giant[:SEED], powerlaw[:SEED], "
             "zeros[:SEED], with --size as their mean.")
          .type_name("FILE|DISTRIBUTION");
  app.add_option("--memory", options.memory,
                 "With --counts: what a rank may hold for others. Default: 64MiB.")
      .type_name("BYTES")
      .needs(counts);
  // Commands that plan along one tree have this option anyway.
  if (!app.find_option("--model")) {
    app.add_option("--model", options.model,
                   fmt::format("With --counts: the cost model that trees go by, one of: {}. "
                               "Default: levels.",
                               model::model_names()))
        .type_name("MODEL")
        .needs(counts);
  }
  // The library's trees go by the levels of its machine.
  if (const auto mpi = app.find_option("--mpi")) {
    if (auto model = app.find_option("--model")) model->excludes(*mpi);
  }
  // What plans by lengths have no meaning for is refused, not passed over.
  for (const char* name :
       {"--to", "--arity", "--dot", "--reproducible", "--element", "--ordered"}) {
    if (const auto other = app.find_option(name)) counts.excludes(*other);
  }
  // Drawings of time lines are of any plan; the others are of plans for equal blocks.
  if (app.find_option("--skew")) return;
  if (const auto svg = app.find_option("--svg")) counts.excludes(*svg);
}

Expected<IrregularCall> understand(const IrregularCallOptions& options, Levels levels,
                                   const topology::Machine* known, select::NativeMpi mpi) {
  auto operation = irregular_operation(options.operation);
  if (!operation) return operation.error();
  const bool exchanges = *operation == Operation::Allgather || *operation == Operation::Alltoall;
  if (auto wrong = without_meaning(options, exchanges)) return *std::move(wrong);
  auto mean = parse_bytes(given_or(options.size, kUsualSize));
  if (!mean) return error_within("--size", mean.error());
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;  // as for the lengths of a file
  if (mean->value > kMost) {
    return Error{"--size", fmt::format("{} are more than can be planned", to_string(*mean)),
                 fmt::format("give at most {}", to_string(Bytes{kMost}))};
  }
  auto memory = parse_bytes(options.counts.memory);
  if (!memory) return error_within("--memory", memory.error());
  auto machine = known != nullptr ? Expected<topology::Machine>(*known)
                                  : timed_machine_from(options.machine, "--machine");
  if (!machine) return machine.error();
  if (levels == Levels::WithAChoice) *machine = topology::as_planned(*machine);
  const std::string regular(name_of(*operation));
  if (machine->size() > kTreesUpTo) {
    return Error{"--machine",
                 fmt::format("{} processes; plans by lengths are made for up to {}, since each "
                             "choice looks at the lengths of all ranks",
                             machine->size(), kTreesUpTo),
                 fmt::format("take a smaller machine of the same shape; espalier plan {} plans "
                             "blocks of one length among any number",
                             regular)};
  }
  auto root = rank_or_place(given_or(options.root, kUsualRoot), *machine);
  if (!root) return error_within("--root", root.error());
  if (exchanges && machine->size() > kExchangedUpTo) {
    return Error{"--machine",
                 fmt::format("{} processes; exchanges by lengths are made for up to {}, since "
                             "each plan has a message for every pair of ranks",
                             machine->size(), kExchangedUpTo),
                 fmt::format("take a smaller machine of the same shape; espalier plan {} plans "
                             "blocks of one length among any number",
                             regular)};
  }
  auto counts = *operation == Operation::Alltoall
                    ? select::pair_counts_from(options.counts.counts, *machine, *mean)
                    : select::counts_from(options.counts.counts, *machine, *mean);
  if (!counts) return error_within("--counts", counts.error());
  Collective call{*operation, machine->size(),   exchanges ? Rank{0} : *root, 0, Bytes{1},
                  true,       *std::move(counts)};
  auto owner = std::make_unique<const topology::Machine>(*std::move(machine));
  auto model = model::parse_model(given_or(options.counts.model, "levels"), *owner, *mean);
  if (!model) return Error{"--model", model.error().what, model.error().hint};
  select::IrregularConditions conditions;
  conditions.bundle_limit = *memory;
  conditions.sim =
      exchanges ? select::exchange_conditions(mpi, *owner) : select::conditions_under(mpi, *owner);
  conditions.messages = exchanges ? kExchangeMessages : kTreeMessages;
  // A search looks at many trees: fewer of large ones.
  constexpr std::uint32_t kWork = 12'000;
  conditions.trials = std::min<std::uint32_t>(300, kWork / owner->size());
  const bool has_own_model = !options.counts.model.empty();
  if (has_own_model) conditions.model = model->get();
  const topology::Machine& placed = *owner;
  return IrregularCall{std::move(owner), placed,          *std::move(model),
                       has_own_model,    std::move(call), conditions};
}

std::vector<Bytes> IrregularCall::bytes() const {
  std::vector<Bytes> all;
  for (const std::uint64_t count : call.counts) all.push_back({count * call.element.value});
  return all;
}

std::string IrregularCall::model_in_words() const {
  return has_own_model ? fmt::format("trees go by the model {}\n", model->name()) : "";
}

std::string IrregularCall::in_words() const {
  Bytes sum;
  for (const Bytes b : bytes()) sum.value += b.value;
  const auto [least, most] = std::minmax_element(call.counts.begin(), call.counts.end());
  const std::string between =
      call.operation == Operation::Scatter  ? fmt::format(" from {}", call.root)
      : call.operation == Operation::Gather ? fmt::format(" to {}", call.root)
                                            : "";
  return fmt::format("{}{} among {} ranks, {} in all, blocks of {} to {}",
                     report::operation_in_words(call), between, call.size, to_string(sum),
                     to_string(Bytes{*least}), to_string(Bytes{*most}));
}

}  // namespace espalier::cli
